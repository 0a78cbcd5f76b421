import { execFile, spawnSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { initialConfiguration } from '../../src/config/initial.ts'
import { loadConfig } from '../../src/config/load.ts'
import { hashSecret } from '../../src/config/sandbox-keys.ts'
import { createFiles, FileExists } from '../../src/create-files.ts'
import { COMMAND, sandgate } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { startGateway, temporaryDirectory } from '../support/gateway.ts'

const SECRET = /^export SANDGATE_CLIENT_SECRET=(sk_sandbox_[A-Za-z0-9_-]{32})$/m

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('sandgate init', () => {
  it('writes from nothing what a gateway serves, and a first call that works as it is pasted', async () => {
    const directory = temporaryDirectory('init')
    const port = String(await freePort())
    const { code, out, err } = await sandgate(
      directory,
      ['init', '--partner', 'acme', '--name', 'L\'Or: "#1"', '--data', './kept'],
      { SANDGATE_LISTEN_PORT: port },
    )
    expect({ code, err }).toMatchObject({ code: 0 })
    const [, secret = ''] = SECRET.exec(out) ?? []
    expect(err).not.toContain(secret)
    const files = ['partners.yaml', 'sandgate.yaml'].map((name) => join(directory, 'config', name))
    expect(readdirSync(join(directory, 'config')).sort()).toEqual(['partners.yaml', 'sandgate.yaml'])
    expect(files.map(modeOf)).toEqual([0o600, 0o600])
    const [partners = '', configuration = ''] = files.map((file) => readFileSync(file, 'utf8'))
    expect(partners).toContain(hashSecret(secret))
    expect(partners + configuration).not.toContain(secret)
    expect(configuration).toMatch(/^ {2}path: \.\/kept$/m)
    expect(await sandgate(directory, ['config', 'check', 'config/sandgate.yaml'])).toMatchObject({
      code: 0,
      err: '',
    })

    const gateway = await startGateway({
      flags: ['--config', join(directory, 'config/sandgate.yaml'), '--port', port],
    })
    const pasted = [...out.split('\n'), ...err.split('\n').filter((line) => /^TOKEN=|^curl /.test(line))]
    expect(pasted).toHaveLength(6)
    const answer = await new Promise<string>((done) => {
      execFile('bash', ['-c', pasted.join('\n')], (_, output) => done(output))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"outcome":"success"/)
    await gateway.stop()
    expect(gateway.logs()).not.toContain(secret)
  })

  it('changes nothing where one of the files is, whatever it is, and says what to do', async () => {
    for (const name of ['sandgate.yaml', 'partners.yaml']) {
      const directory = temporaryDirectory('there')
      mkdirSync(join(directory, 'config'))
      symlinkSync('/nowhere', join(directory, 'config', name))
      const { code, out, err } = await sandgate(directory, ['init', '--directory', 'config'])
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(/^sandgate init: config\/.* is there already; nothing was changed: .*keys create/)
      expect(readdirSync(join(directory, 'config'))).toEqual([name])
    }
  })

  it('writes no second configuration beside one that serve finds', async () => {
    const directory = temporaryDirectory('beside')
    writeFileSync(join(directory, 'sandgate.yaml'), 'partners: []\n')
    const { code, err } = await sandgate(directory, ['init'])
    expect(code).toBe(1)
    expect(err).toContain('sandgate.yaml is here already')
    expect(existsSync(join(directory, 'config'))).toBe(false)
  })

  it.each([
    [['--partner', 'Acme Payments'], /^--partner: partners\[0\]\.id: must be 1 to 40 of/m],
    [['--partner', '../../etc/passwd'], /^--partner: partners\[0\]\.id: /m],
    [['--tenant', 'acme'], /^--tenant: partners\[0\]\.tenant: must be tn_sandbox_ and/m],
    [['--name', 'x'.repeat(101)], /^--name: partners\[0\]\.name: must have 1 to 100/m],
    [['--public-url', 'sandbox.example.com/x'], /^--public-url: listen\.publicUrl: must be an absolute/m],
  ])('refuses %j with the name of the flag, and writes nothing', async (flags, message) => {
    const directory = temporaryDirectory('wrong')
    let err = ''
    const io = { out: expect.unreachable, err: (text: string) => (err += text), env: {} }
    const line = ['init', '--directory', join(directory, 'config'), ...flags]
    expect(await runCommandLine(line, io)).toBe('usage')
    expect(err).toMatch(message)
    expect(readdirSync(directory)).toEqual([])
  })

  it('leaves nothing behind where the disk is full', () => {
    const directory = temporaryDirectory('full')
    // A file may not be larger than one block: the configuration is.
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', `trap '' XFSZ; ulimit -f 1; exec "$0" "$@"`, process.execPath, COMMAND, 'init'],
      { cwd: directory, encoding: 'utf8', env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' } },
    )
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^sandgate init: cannot write into config \(EFBIG\); nothing was changed\n$/)
    expect(readdirSync(directory)).toEqual([])
  })

  it('gives a gateway that listens on every address a URL that clients can use', async () => {
    const directory = temporaryDirectory('container')
    const env = { SANDGATE_LISTEN_HOST: '0.0.0.0' }
    const { code, out } = await sandgate(directory, ['init'], env)
    expect({ code, url: out.split('\n')[0] }).toEqual({
      code: 0,
      url: 'export SANDGATE_URL=http://127.0.0.1:8080',
    })
    const loaded = loadConfig({ file: join(directory, 'config/sandgate.yaml') })
    expect(loaded).toMatchObject({
      ok: true,
      config: { listen: { host: '0.0.0.0', publicUrl: 'http://127.0.0.1:8080' } },
    })
  })

  it('that was forgotten is what serve names, with exit code 3', async () => {
    const { code, err } = await sandgate(temporaryDirectory('forgotten'), [
      ...['serve', '--config', 'config/sandgate.yaml'],
    ])
    expect(code).toBe(3)
    expect(err).toMatch(
      /config\/sandgate\.yaml: there is no such file\n.*docker compose run --rm sandgate init/,
    )
  })
})

describe('a first configuration', () => {
  it('says what the one of the package says, where nothing else is wanted', () => {
    const settings = { host: '127.0.0.1', port: 8080, publicUrl: null, dataDirectory: null }
    expect(initialConfiguration(settings)).toBe(readFileSync('config/sandgate.yaml', 'utf8'))
  })

  it('keeps every character of a path', () => {
    const text = initialConfiguration({
      host: '::1',
      port: 1,
      publicUrl: 'https://sandbox.example.com:8443',
      dataDirectory: '/srv/a b: #\'"$&',
    })
    const file = join(temporaryDirectory('path'), 'sandgate.yaml')
    writeFileSync(file, `${text}\n`)
    writeFileSync(join(file, '../partners.yaml'), '[]')
    expect(loadConfig({ file })).toMatchObject({
      ok: true,
      config: {
        listen: { host: '::1', port: 1, publicUrl: 'https://sandbox.example.com:8443' },
        store: { path: '/srv/a b: #\'"$&' },
      },
    })
  })
})

describe('files that are created together', () => {
  const [first, last] = [
    { name: 'first', text: 'one' },
    { name: 'last', text: 'two' },
  ]

  it('replace what an attempt has left that was killed between them, and nothing else', () => {
    const directory = temporaryDirectory('killed')
    writeFileSync(join(directory, '.first.new'), 'old')
    linkSync(join(directory, '.first.new'), join(directory, 'first'))
    createFiles(directory, [first], last)
    expect(readdirSync(directory).sort()).toEqual(['first', 'last'])
    expect(readFileSync(join(directory, 'first'), 'utf8')).toBe('one')
    expect(() => createFiles(directory, [first], { name: 'other', text: '' })).toThrow(FileExists)
    expect(readdirSync(directory).sort()).toEqual(['first', 'last'])
  })

  it('are whole once the last one is there, even if their second names stayed', () => {
    const directory = temporaryDirectory('whole')
    createFiles(directory, [first], last)
    linkSync(join(directory, 'first'), join(directory, '.first.new'))
    expect(() => createFiles(directory, [first], last)).toThrow(FileExists)
    expect(readdirSync(directory).sort()).toEqual(['first', 'last'])
  })
})
