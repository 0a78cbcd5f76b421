import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { COMMAND, sandgate } from '../support/command.ts'
import { runHere } from '../support/command-line.ts'
import { startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partner, partnerConfig } from '../support/partners.ts'

/** The data directory of a gateway that ran and was stopped. */
let stopped = ''
beforeAll(async () => {
  const gateway = await startGateway({ runs: 'here' })
  stopped = gateway.dataDir
  await gateway.stop()
})

it.each([
  ['where no directory can be made', '/proc/sandgate/data'],
  ['below a file', join(import.meta.dirname, 'starting.test.ts/data')],
])('a store path %s ends in a sentence and exit code 4', async (_, path) => {
  const { code, err } = await sandgate(temporaryDirectory('cwd'), ['serve', '--port', '0', '--data', path])
  expect(code).toBe(4)
  expect(err).toMatch(/^sandgate serve: the store path .* cannot be used: .*\n$/)
})

it.each([
  ['data.mdb', 10_000, 'serve'],
  ['data.mdb', 0, 'data usage --partner one'],
  ['signing-keys.json', 200, 'serve'],
  ['signing-keys.json', 0, 'signing-keys list'],
])(
  '%s that was cut to %i bytes ends `sandgate %s` in a sentence and exit code 4',
  async (name, bytes, command) => {
    const directory = temporaryDirectory('cut')
    const path = join(directory, 'data')
    cpSync(stopped, path, { recursive: true })
    truncateSync(join(path, name), bytes)
    const ports = { listen: { port: 0 }, operator: { port: 0 } }
    const settings = { store: { path: 'data' }, ...ports, partners: [partnerConfig(partner('one'))] }
    writeFileSync(join(directory, 'sandgate.yaml'), stringify(settings))
    const run =
      command === 'serve' ? sandgate(directory, ['serve']) : runHere(command.split(' '), {}, directory)
    const { code, err, out } = await run
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toMatch(/^sandgate [a-z -]+: .*(?:data\.mdb is damaged|signing keys in .* are damaged).*\n$/)
  },
)

it('a SIGHUP while the gateway starts is remembered and ends nothing', async () => {
  const directory = temporaryDirectory('hangup')
  const config = join(directory, 'sandgate.yaml')
  const text =
    'log: { format: json }\nstore: { engine: memory }\nlisten: { port: 0 }\noperator: { port: 0 }\npartners: []\n'
  writeFileSync(config, text)
  const gateway = spawn(process.execPath, [COMMAND, 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // As soon as the program itself runs: it has opened its own file.
  const loaded = () => readFileSync(`/proc/${gateway.pid}/status`, 'utf8').match(/SigCgt:\s*([0-9a-f]+)/)?.[1]
  const catchesHangups = () => (BigInt(`0x${loaded() ?? '0'}`) & 1n) === 1n
  while (!catchesHangups()) await new Promise((next) => setTimeout(next, 1))
  gateway.kill('SIGHUP')
  const messages: string[] = []
  for await (const line of createInterface({ input: gateway.stdout })) {
    messages.push((JSON.parse(line) as { msg: string }).msg)
    if (messages.includes('listening') && messages.includes('configuration reloaded')) break
  }
  gateway.kill('SIGTERM')
  expect(await once(gateway, 'exit')).toEqual([0, null])
})

it('what only a restart changes is named in /readyz and counted, also while the files have mistakes', async () => {
  const directory = temporaryDirectory('restart')
  const file = join(directory, 'sandgate.yaml')
  const text = 'log: { format: json }\npartners: []\n'
  writeFileSync(file, text)
  // The last --config counts.
  const gateway = await startGateway({ flags: ['--config', file] })
  const ready = async () => {
    const response = await fetch(`${gateway.operatorUrl}/readyz`)
    return ((await response.json()) as { configuration: unknown }).configuration
  }
  const counted = async () =>
    /^sandgate_configuration_needs_restart (\d+)/m.exec(
      await (await fetch(`${gateway.operatorUrl}/metrics`)).text(),
    )?.[1]
  writeFileSync(file, `${text}tokens: { lifetimeSeconds: 60 }\n`)
  await expect.poll(ready).toMatchObject({ ok: true, needsRestart: ['tokens.lifetimeSeconds'] })
  expect(await counted()).toBe('1')
  writeFileSync(file, `${text}tokens: { lifetimeSeconds: no }\n`)
  await expect.poll(ready).toMatchObject({ ok: false, needsRestart: ['tokens.lifetimeSeconds'] })
  expect(await counted()).toBe('1')
  await gateway.stop()
})
