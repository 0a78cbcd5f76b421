import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { loadConfig } from '../../src/config/load.ts'
import { lameDuckMs } from '../../src/config/reach.ts'
import type { Config } from '../../src/config/schema.ts'
import { freePort } from '../support/free-port.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'

const read = (file: string) => readFileSync(file, 'utf8')

/** What the gateway itself takes a configuration to be: every number below is its own, and copied from nowhere. */
function configOf(text: string, env: Readonly<Record<string, string>> = {}): Config {
  const directory = temporaryDirectory('deploy')
  writeFileSync(join(directory, 'sandgate.yaml'), text)
  writeFileSync(join(directory, 'partners.yaml'), '[]\n')
  const result = loadConfig({ file: join(directory, 'sandgate.yaml'), env })
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return result.config
}

/** The longest that a stop takes. */
const stopMs = (config: Config) => lameDuckMs(config) + config.server.drainMs
const seconds = (text: string) => Number(/^(\d+)s?$/.exec(text)?.[1]) * 1000

/** Each instruction with its arguments, in its order. */
const dockerfile = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap((line) => {
    const [, name = '', text = ''] = /^ *([A-Z]+) +(.*)$/.exec(line) ?? []
    return name ? [{ name, text: text.trim() }] : []
  })
const lastStage = dockerfile.slice(dockerfile.findLastIndex(({ name }) => name === 'FROM'))
const instruction = (wanted: string) =>
  lastStage.filter(({ name }) => name === wanted).map(({ text }) => text)
const imageEnvironment = Object.fromEntries(instruction('ENV').map((text) => text.split('=', 2)))
const healthcheck = (): string[] =>
  JSON.parse(/CMD (\[.*\])/.exec(instruction('HEALTHCHECK').join())?.[1] ?? '')

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }
const documents = parseAllDocuments(read('config/deploy/kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([])
  return document.toJS()
})
const ofKind = (wanted: string) => documents.find(({ kind }) => kind === wanted)
const pod = ofKind('Deployment').spec.template.spec
const [container] = pod.containers
const probes: Probe[] = [container.startupProbe, container.livenessProbe, container.readinessProbe]

describe('the Dockerfile', () => {
  it('runs a program and no shell, by number and not as root, and says whether it is healthy', () => {
    for (const name of ['ENTRYPOINT', 'CMD'])
      expect(JSON.parse(instruction(name).join())).toEqual(expect.any(Array))
    const [user = ''] = instruction('USER')
    expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/)
    expect(healthcheck().length).toBeGreaterThan(1)
    const command = JSON.parse(instruction('CMD').join())
    expect(parseCommandLine(command, COMMANDS).kind).not.toBe('wrong')
  })

  it('keeps what is written in a volume, which belongs to the user', () => {
    const [directory = ''] = instruction('WORKDIR')
    expect(JSON.parse(instruction('VOLUME').join())).toEqual([directory])
    expect(instruction('COPY')).toContain(`--from=build --chown=${instruction('USER')} /state/ /var/lib/`)
  })

  it('takes what it is built from as an argument, and a secret by no way that leaves it in a layer', () => {
    expect(dockerfile.filter(({ name }) => name === 'ARG').map(({ text }) => text.split('=')[0])).toEqual([
      'BASE',
      'RUNTIME',
    ])
    const kept = dockerfile.filter(({ name }) => ['ENV', 'ARG', 'COPY', 'ADD'].includes(name))
    expect(kept.filter(({ text }) => /secret|token|password|npmrc|_KEY\b|\.pem/i.test(text))).toEqual([])
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line && !line.startsWith('#'))
    expect(ignored[0]).toBe('*')
    const exceptions = ignored.slice(1)
    expect(exceptions.filter((line) => !line.startsWith('!') || /env|npmrc|data|\.git/.test(line))).toEqual(
      [],
    )
  })
})

describe('what starts a gateway', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  it('asks it what it answers: the health check of the image, and the probes of the pod', async () => {
    const healthy = (port: number | string) => {
      const [, ...args] = healthcheck()
      const env = { SANDGATE_OPERATOR_PORT: String(port) }
      return spawnSync(process.execPath, args, { env }).status
    }
    expect(healthy(new URL(gateway.operatorUrl).port)).toBe(0)
    expect(healthy(await freePort())).toBe(1)
    for (const { httpGet } of probes) {
      expect(httpGet.port).toBe('operator')
      expect((await fetch(gateway.operatorUrl + httpGet.path)).status).toBe(200)
    }
  })

  it('asks it where it listens', () => {
    const { listen, operator } = configOf(ofKind('ConfigMap').data['sandgate.yaml'], {
      SANDGATE_OPERATOR_TOKEN: 'of-these-tests-only',
    })
    const ports = Object.fromEntries(
      container.ports.map((port: { name: string; containerPort: number }) => [port.name, port.containerPort]),
    )
    expect(ports).toEqual({ partners: listen.port, operator: operator.port })
    expect(ofKind('Service').spec.ports[0].targetPort).toBe('partners')
    expect(instruction('EXPOSE')).toEqual([String(listen.port)])
    expect(healthcheck().join()).toContain(`SANDGATE_OPERATOR_PORT || ${operator.port},`)
    const { services } = parse(read('compose.yaml'))
    expect(services.sandgate.ports).toEqual([`127.0.0.1:${listen.port}:${listen.port}`])
  })
})

describe('what stops a gateway', () => {
  const unit = read('config/deploy/sandgate.service')

  it.each([
    [
      'compose.yaml',
      () => parse(read('compose.yaml')).services.sandgate.stop_grace_period,
      () => configOf('listen: { publicUrl: http://127.0.0.1:8080 }\npartners: []', imageEnvironment),
    ],
    [
      'kubernetes.yaml',
      () => String(pod.terminationGracePeriodSeconds),
      () =>
        configOf(ofKind('ConfigMap').data['sandgate.yaml'], {
          SANDGATE_OPERATOR_TOKEN: 'of-these-tests-only',
        }),
    ],
    // Behind a proxy on the same machine it is reachable as well.
    [
      'sandgate.service',
      () => /^TimeoutStopSec=(.*)$/m.exec(unit)?.[1] ?? '',
      () => configOf('listen: { publicUrl: https://sandbox.example.com }\npartners: []'),
    ],
  ])('%s waits longer than a stop takes, lame duck and drain', (_, grace, config) => {
    expect(lameDuckMs(config())).toBeGreaterThan(0)
    expect(seconds(grace())).toBeGreaterThan(stopMs(config()))
  })

  it('sees that it is not ready before the lame duck is over', () => {
    const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe
    const config = configOf(ofKind('ConfigMap').data['sandgate.yaml'], {
      SANDGATE_OPERATOR_TOKEN: 'of-these-tests-only',
    })
    expect((periodSeconds * failureThreshold + timeoutSeconds) * 1000).toBeLessThan(lameDuckMs(config))
  })
})

describe('what a container may', () => {
  it('is what a gateway needs, in compose.yaml', () => {
    expect(parse(read('compose.yaml')).services.sandgate).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: [`state:${instruction('WORKDIR')}`],
    })
  })

  it('is the same in kubernetes.yaml, which says that it was not run', () => {
    expect(read('config/deploy/kubernetes.yaml').split('\n')[0]).toMatch(/Not run\.$/)
    const [uid, gid] = instruction('USER').join().split(':').map(Number)
    expect(pod).toMatchObject({
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: uid, runAsGroup: gid, fsGroup: gid },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.volumeMounts[0]).toEqual({ name: 'state', mountPath: instruction('WORKDIR').join() })
    expect(ofKind('Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
  })

  it('is no less for systemd, whose unit starts what there is', () => {
    const unit = read('config/deploy/sandgate.service')
    const [, command = ''] = /^ExecStart=\S+\/sandgate (.*)$/m.exec(unit) ?? []
    expect(parseCommandLine(command.split(' '), COMMANDS).kind).not.toBe('wrong')
    for (const line of [
      'User=sandgate',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
    ])
      expect(unit.split('\n')).toContain(line)
  })
})

describe('what stands in front', () => {
  const { server, upstream } = configOf('partners: []')

  it.each([
    ['nginx.conf', /^ *keepalive_timeout (\S+);/m, /^ *proxy_read_timeout (\S+);/m],
    ['Caddyfile', /^\s*keepalive (\S+)$/m, /^\s*response_header_timeout (\S+)$/m],
  ])(
    '%s lets an idle connection go before the gateway does, and waits until that gives up on an upstream',
    (file, idle, answer) => {
      const text = read(join('config/deploy', file))
      expect(seconds(idle.exec(text)?.[1] ?? '')).toBeLessThan(server.keepAliveTimeoutMs)
      expect(seconds(answer.exec(text)?.[1] ?? '')).toBeGreaterThan(
        upstream.connectTimeoutMs + upstream.timeoutMs,
      )
    },
  )

  it('leaves bodies that are too large to the gateway', () => {
    const [, megabytes = ''] = /client_max_body_size (\d+)m;/.exec(read('config/deploy/nginx.conf')) ?? []
    expect(Number(megabytes) * 2 ** 20).toBeGreaterThan(server.bodyBytes)
  })
})
