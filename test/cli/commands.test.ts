import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { exitCode } from '../../src/cli/exit-codes.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'

async function sandgate(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const exit = await runCommandLine(argv, {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    env: { SANDGATE_LOG_FORMAT: 'off' },
  })
  return { code: exitCode(exit), out, err }
}

function directory(files: Record<string, string> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'sandgate-cli-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const freePorts = ['--port', '0', '--operator-port', '0']

describe('config check', () => {
  it('ends with 0 and says what it read', async () => {
    const { code, out } = await sandgate('config', 'check', 'config/sandgate.yaml')
    expect(out).toBe(
      'config/sandgate.yaml, config/partners.yaml: valid (1 partner, 6 caps, 8 outcome rules)\n',
    )
    expect(code).toBe(0)
  })

  it('finds the usual file by itself', async () => {
    expect(await sandgate('config', 'check')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^config\/sandgate/),
    })
  })

  it('ends with 3 and every mistake when there is one', async () => {
    const file = join(directory({ 'bad.yaml': 'partners: []\nlisten: { port: x }\ncaps: 1\n' }), 'bad.yaml')
    expect(await sandgate('config', 'check', file)).toEqual({
      code: 3,
      out: '',
      err: `${file}:2:17: listen.port: must be an integer from 0 to 65535, not "x"\n${file}:3:7: caps: must be a list, not 1\n`,
    })
  })

  it('ends with 3 when the file is missing', async () => {
    const { code, err } = await sandgate('config', 'check', '/nowhere/sandgate.yaml')
    expect(err).toBe('/nowhere/sandgate.yaml: there is no such file\n')
    expect(code).toBe(3)
  })
})

describe('openapi', () => {
  it('prints the document', async () => {
    const { code, out } = await sandgate('openapi', '--public-url', 'https://sandbox.example.com')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'https://sandbox.example.com' }],
    })
  })

  it('ends with 2 for a URL that is none', async () => {
    const { code, err } = await sandgate('openapi', '--public-url', 'sandbox')
    expect(err).toMatch(/^sandgate openapi: --public-url must be an absolute http or https URL.*\n$/)
    expect(code).toBe(2)
  })
})

describe('serve', () => {
  it('ends with 2 and one line for a flag that is wrong', async () => {
    const { code, err } = await sandgate('serve', '--port', '65536')
    expect(err).toBe('--port: listen.port: must be an integer from 0 to 65535, not 65536\n')
    expect(code).toBe(2)
  })

  it('ends with 3 when the configuration is not valid', async () => {
    const { code, err } = await sandgate('serve', '--host', '0.0.0.0')
    expect(err).toMatch(/^config\/partners.yaml:\d+:\d+: .* is the published demo key/)
    expect(code).toBe(3)
  })

  it('ends with 4 when another gateway has the data directory', async () => {
    const path = directory()
    const store = await openEmbeddedStore({ path })
    onTestFinished(() => store.close())
    const { code, err } = await sandgate('serve', ...freePorts, '--data', path)
    expect(err).toMatch(/^sandgate serve: .*in use.*\n$/)
    expect(code).toBe(4)
  })

  it.each(['--port', '--operator-port'])(
    'ends with 5 and names %s when the address is in use',
    async (flag) => {
      const server = createServer().listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await new Promise((done) => server.on('listening', done))
      const { port } = server.address() as { port: number }
      const { code, err } = await sandgate('serve', '--store', 'memory', ...freePorts, flag, String(port))
      const hint = `stop what listens there, or choose another port with ${flag} `
      expect(err).toContain(`sandgate serve: 127.0.0.1:${port} is already in use; ${hint}`)
      expect(code).toBe(5)
    },
  )

  it('leaves no signal handler behind when it did not start', async () => {
    const before = ['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name))
    await sandgate(
      'serve',
      '--store',
      'memory',
      '--port',
      '0',
      '--host',
      '203.0.113.1',
      '--config',
      beyondLoopback(),
    )
    expect(['SIGTERM', 'SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name))).toEqual(before)
  })
})

function beyondLoopback(): string {
  return join(directory({ 'c.yaml': 'partners: []\noperator: { port: 0 }\n' }), 'c.yaml')
}
