import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Agent } from 'undici'
import { stringify } from 'yaml'
import { formatConfigErrors } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { type RunningGateway, startGateway as startHere } from '../../src/start/gateway.ts'
import { COMMAND, cleanEnvironment, isAlwaysCommand } from './command.ts'
import { WAIT_MS } from './effort.ts'
import { freePort } from './free-port.ts'
import { directories, running } from './leftovers.ts'
import { overrides } from './overrides.ts'
import { partner, partnerConfig, type TestPartner } from './partners.ts'
import { keepSigningKey } from './signing-key.ts'

export type GatewayOptions = {
  /** Sections of the configuration, merged over the test's defaults; or the whole file as text. */
  readonly config?: Readonly<Record<string, unknown>> | string
  /** By default one, with every scope. */
  readonly partners?: readonly TestPartner[]
  readonly flags?: readonly string[]
  /** By default one that `advance` moves. */
  readonly clock?: 'controllable' | 'system'
  /** A directory of an earlier gateway, to start again on its state. */
  readonly dataDir?: string
  readonly env?: Readonly<Record<string, string>>
  /** Without a signing key in its directory, as on the first start of all: making one is half of a start. */
  readonly isFirstStart?: boolean
  /** A program and its arguments that run the gateway. */
  readonly by?: readonly string[]
  /**
   * The command that ships, in a process of its own, or one in that of the tests, for a test of a setting, of what an
   * upstream decides, or of answers to which the command adds nothing. By default the command, and `here` where every
   * gateway forwards.
   */
  readonly runs?: 'as-command' | 'here'
}

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** A gateway that runs as its own process, started by the command that ships, or in that of the tests. */
export type Gateway = {
  readonly url: string
  readonly operatorUrl: string
  readonly pid: number
  readonly dataDir: string
  readonly partners: readonly TestPartner[]
  /** A partner that no other caller of this function has got. */
  readonly nextPartner: () => TestPartner
  /** A loopback address that no other caller has got: a client IP with windows of its own. */
  readonly nextAddress: () => string
  /** Connections from a local address, kept alive. */
  readonly agent: (from: string) => Agent
  /** Moves the gateway's clock forward. */
  readonly advance: (seconds: number) => Promise<void>
  /** By how much the clock has been moved. */
  readonly advanced: () => number
  /** SIGTERM, then the exit. */
  readonly stop: () => Promise<Exit>
  /** SIGKILL: what a crash leaves. */
  readonly kill: () => Promise<Exit>
  readonly signal: (name: NodeJS.Signals) => void
  readonly exited: Promise<Exit>
  /** Everything the process has written to standard output and error so far. */
  readonly logs: () => string
}

/**
 * In the files of test/forwarded every gateway forwards what it decides to a second one behind it: the same tests hold
 * for both.
 */
const isForwarded = () => process.env.TEST_FORWARDED === '1'

/**
 * Starts a gateway on free loopback ports, with a controllable clock, and waits until it listens: `sandgate serve`, or,
 * where every gateway forwards, two in this process: processes would be half of what a test costs.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  if (isForwarded() && typeof options.config !== 'string') return startForwarding(options)
  return options.runs === 'here' && !isAlwaysCommand() ? startInTests(options) : startProcess(options)
}

async function startProcess(options: GatewayOptions): Promise<Gateway> {
  const partners = options.partners ?? [partner('demo-one')]
  const dataDir = options.dataDir ?? freshDataDir(options)
  const file = configFile(options, partners)
  const parameters = ['serve', '--config', file, '--port', '0', '--operator-port', '0', '--data', dataDir]
  if (options.clock !== 'system') parameters.push('--controllable-clock')
  const line = [...(options.by ?? []), process.execPath, COMMAND, ...parameters, ...(options.flags ?? [])]
  const child = spawn(line[0] ?? '', line.slice(1), {
    env: { ...cleanEnvironment(), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  child.stderr.on('data', (chunk) => output.push(String(chunk)))
  const exited: Promise<Exit> = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const { url, operatorUrl } = await listening(child, output, exited)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  const parts = { pid: child.pid ?? 0, signal, end, exited, url, operatorUrl, dataDir, partners, output }
  const gateway = describeGateway(parts)
  running.add(gateway)
  void exited.then(() => running.delete(gateway))
  return gateway
}

/** The gateway behind the one that has a data directory: a crash of the one in front leaves it running. */
const behindOf = new Map<string, { readonly close: () => Promise<void> }>()

/** A gateway in front of another one, which knows the same partners and believes what the first one says of them. */
async function startForwarding(options: GatewayOptions): Promise<Gateway> {
  const partners = options.partners ?? [partner('demo-one')]
  const dataDir = options.dataDir ?? freshDataDir(options)
  await behindOf.get(dataDir)?.close()
  const port = await freePort()
  const config = options.config as Readonly<Record<string, unknown>> | undefined
  const own = config as { upstream?: object; decisions?: object } | undefined
  const forwarding = {
    ...options,
    partners,
    dataDir,
    config: {
      ...config,
      decisions: { from: 'upstream', ...own?.decisions },
      upstream: { url: `http://127.0.0.1:${port}`, ...own?.upstream },
    },
  }
  const front = await (options.runs === 'as-command' ? startProcess(forwarding) : startInTests(forwarding))
  const behind = await startBehind(front, port, options)
  const close = async () => {
    running.delete(leftover)
    if (behindOf.delete(dataDir)) await behind.close()
  }
  const leftover = { kill: close }
  behindOf.set(dataDir, { close })
  running.add(leftover)
  return {
    ...front,
    advance: async (seconds) => {
      await Promise.all([front.advance(seconds), advanceClock(behind.operatorUrl, seconds)])
    },
    stop: async () => {
      const exit = await front.stop()
      await close()
      return exit
    },
    kill: async () => {
      const exit = await front.kill()
      await close()
      return exit
    },
  }
}

/** In this process: it ends when it has closed, and gets no signals. */
async function startInTests(options: GatewayOptions): Promise<Gateway> {
  const partners = options.partners ?? [partner('demo-one')]
  const dataDir = options.dataDir ?? freshDataDir(options)
  const output: string[] = []
  const { partnerUrl, operatorUrl, close } = await startInThisProcess(
    configFile(options, partners),
    { 'listen.port': 0, 'operator.port': 0, 'store.path': dataDir },
    options,
    (line) => output.push(line),
  )
  let ended = (_: Exit) => {}
  const exited = new Promise<Exit>((resolve) => {
    ended = resolve
  })
  const closed = async () => {
    await close()
    ended({ code: 0, signal: null })
  }
  const leftover = { kill: closed }
  running.add(leftover)
  const signal = () => {
    throw new TypeError('only a gateway that runs as a command gets signals, and can be killed')
  }
  const end = async (name: NodeJS.Signals) => {
    if (name === 'SIGKILL') signal()
    running.delete(leftover)
    await closed()
    return exited
  }
  const parts = {
    pid: process.pid,
    signal,
    end,
    exited,
    url: partnerUrl,
    operatorUrl,
    dataDir,
    partners,
    output,
  }
  return describeGateway(parts)
}

/** The gateway behind, in this process. Resolves when it has the keys of the one in front. */
async function startBehind(front: Gateway, port: number, options: GatewayOptions): Promise<RunningGateway> {
  const config = options.config as Readonly<Record<string, unknown>> | undefined
  const own = config as { tokens?: { issuer?: string }; server?: object } | undefined
  const settings = {
    ...config,
    log: { requests: false },
    // The one in front has been through it when this one is stopped.
    server: { ...own?.server, lameDuckMs: 0 },
    tokens: {
      ...own?.tokens,
      issuer: `http://127.0.0.1:${port}`,
      trustedIssuers: [
        {
          issuer: own?.tokens?.issuer ?? front.url,
          jwksUri: `${front.url}/.well-known/jwks.json`,
          skipLimits: true,
        },
      ],
    },
  }
  const flags = {
    'listen.port': port,
    'listen.publicUrl': front.url,
    'operator.port': 0,
    'store.path': dataDirBehind(front.dataDir),
  }
  let trusts = () => {}
  const trusted = new Promise<void>((resolve) => {
    trusts = resolve
  })
  const file = configFile({ config: settings }, front.partners)
  const behind = await startInThisProcess(file, flags, options, (line) => {
    if (line.includes('has the keys of a gateway in front')) trusts()
  })
  await trusted
  return behind
}

async function startInThisProcess(
  file: string,
  flags: Readonly<Record<string, unknown>>,
  options: GatewayOptions,
  onLine: (line: string) => void,
): Promise<RunningGateway> {
  const loaded = loadConfig({
    file,
    env: { ...options.env },
    flags: overrides({ ...flags, 'clock.controllable': options.clock !== 'system' }),
  })
  if (!loaded.ok) throw new Error(formatConfigErrors(loaded.errors))
  const write = (line: string) => {
    onLine(line)
    return true
  }
  return startHere({ config: loaded.config, logger: createLogger(loaded.config.log, { write }) })
}

function describeGateway(parts: {
  pid: number
  url: string
  operatorUrl: string
  dataDir: string
  partners: readonly TestPartner[]
  signal: (name: NodeJS.Signals) => void
  /** Ends it by a signal, or in the one way it has. */
  end: (signal: NodeJS.Signals) => Promise<Exit>
  exited: Promise<Exit>
  output: readonly string[]
}): Gateway {
  const { pid, url, operatorUrl, dataDir, partners, signal, exited, output } = parts
  const agents = new Map<string, Agent>()
  let advanced = 0
  let nextPartner = 0
  let nextAddress = 1
  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    const exit = await parts.end(signal)
    await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    return exit
  }
  return {
    url,
    operatorUrl,
    pid,
    dataDir,
    partners,
    nextPartner: () => {
      const next = partners[nextPartner++]
      if (!next) throw new RangeError('configure more partners for this file')
      return next
    },
    nextAddress: () => `127.0.0.${++nextAddress}`,
    agent: (from) => {
      const agent = agents.get(from) ?? new Agent({ connections: 32, localAddress: from })
      agents.set(from, agent)
      return agent
    },
    advance: async (seconds) => {
      await advanceClock(operatorUrl, seconds)
      advanced += seconds
    },
    advanced: () => advanced,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    signal,
    exited,
    logs: () => output.join(''),
  }
}

async function advanceClock(operatorUrl: string, seconds: number): Promise<void> {
  const response = await fetch(`${operatorUrl}/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advanceSeconds: seconds }),
  })
  if (!response.ok) throw new Error(`the clock was not moved: ${await response.text()}`)
}

/** Waits for the line that names both URLs, and goes on collecting the log. */
async function listening(
  child: ChildProcess,
  output: string[],
  exited: Promise<Exit>,
): Promise<{ url: string; operatorUrl: string }> {
  if (!child.stdout) throw new TypeError('standard output is piped')
  const lines = createInterface({ input: child.stdout })
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`${reason}\n${output.join('')}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail('the gateway did not listen in time')
    }, WAIT_MS)
    void exited.then(({ code }) => {
      clearTimeout(timer)
      fail(`the gateway ended with ${code} before it listened`)
    })
    lines.on('line', (line) => {
      output.push(`${line}\n`)
      const [url, operatorUrl] = line.includes('listening') ? (line.match(/http:\/\/[^\s",]+/g) ?? []) : []
      if (url === undefined || operatorUrl === undefined) return
      clearTimeout(timer)
      resolve({ url, operatorUrl })
    })
  })
}

/** A configuration in a file of its own. */
function configFile(options: GatewayOptions, partners: readonly TestPartner[]): string {
  const file = join(temporaryDirectory('config'), 'sandgate.yaml')
  writeFileSync(file, configText(options, partners))
  return file
}

function configText({ config = {} }: GatewayOptions, partners: readonly TestPartner[]): string {
  if (typeof config === 'string') return config
  // A busy machine delays the loop of a test's gateway; only a test of OVERLOADED wants to hear of it.
  const { log, server: own } = config as { log?: object; server?: object }
  const server = { maxLoopDelayMs: 60_000, ...own }
  return stringify({
    ...config,
    log: { format: 'json', ...log },
    server,
    partners: partners.map(partnerConfig),
  })
}

function freshDataDir({ isFirstStart = false }: GatewayOptions): string {
  const directory = temporaryDirectory('data')
  if (!isFirstStart) keepSigningKey(directory)
  return directory
}

/** The directory of the gateway behind: it stays when that one is started again. */
function dataDirBehind(dataDir: string): string {
  const directory = `${dataDir}-behind`
  if (existsSync(directory)) return directory
  keepSigningKey(directory, 'behind')
  directories.add(directory)
  return directory
}

export function temporaryDirectory(purpose: string): string {
  const directory = mkdtempSync(join(tmpdir(), `sandgate-${purpose}-`))
  directories.add(directory)
  return directory
}
