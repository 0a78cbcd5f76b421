import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { formatConfigErrors } from '../../src/config/errors.ts'
import { createLiveConfig } from '../../src/config/live.ts'
import { loadConfig } from '../../src/config/load.ts'
import { WITHIN_A_SECOND_MS } from '../support/effort.ts'
import { directoryWith, PARTNERS } from './files.ts'

/** A live configuration over real files, and what it reported. */
function live(files: Record<string, string>, afterLoading: Record<string, string> = {}) {
  const directory = directoryWith({ 'partners.yaml': PARTNERS, ...files })
  const load = vi.fn(() => loadConfig({ file: join(directory, 'sandgate.yaml') }))
  const initial = load()
  if (!initial.ok) throw new Error(formatConfigErrors(initial.errors))
  for (const [name, text] of Object.entries(afterLoading)) writeFileSync(join(directory, name), text)
  const onReload = vi.fn()
  const onError = vi.fn()
  const config = createLiveConfig({ load, initial, onReload, onError })
  onTestFinished(config.stop)
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  const paymentLimit = () => config.current().rateLimits.groups['payments.fund']
  return { directory, config, load, onReload, onError, write, paymentLimit }
}

const withLimit = (limit: number) => `rateLimits: { groups: { payments.fund: ${limit} } }\n`
const withinASecond = { timeout: WITHIN_A_SECOND_MS, interval: 20 }
const watching = () => new Promise((done) => setTimeout(done, 300))

describe('a changed file', () => {
  it('takes effect within a second', async () => {
    const { write, paymentLimit, onReload } = live({ 'sandgate.yaml': withLimit(7) })
    await watching()
    write('sandgate.yaml', withLimit(8))
    await vi.waitFor(() => expect(paymentLimit()).toBe(8), withinASecond)
    expect(onReload).toHaveBeenCalledWith(expect.objectContaining({ partners: expect.anything() }), [])
  })

  it('takes effect when it changes between loading and watching', async () => {
    const { paymentLimit } = live({ 'sandgate.yaml': withLimit(7) }, { 'sandgate.yaml': withLimit(8) })
    expect(paymentLimit()).toBe(7)
    await vi.waitFor(() => expect(paymentLimit()).toBe(8), withinASecond)
  })

  it('takes effect when another file is renamed over it', async () => {
    const { directory, write, paymentLimit } = live({ 'sandgate.yaml': withLimit(7) })
    await watching()
    write('new.yaml', withLimit(8))
    renameSync(join(directory, 'new.yaml'), join(directory, 'sandgate.yaml'))
    await vi.waitFor(() => expect(paymentLimit()).toBe(8), withinASecond)
  })

  it('takes effect when a symbolic link on its path is swapped', async () => {
    const directory = directoryWith({})
    for (const [version, limit] of Object.entries({ v1: 7, v2: 8 })) {
      mkdirSync(join(directory, version))
      writeFileSync(join(directory, version, 'sandgate.yaml'), `${withLimit(limit)}partners: []\n`)
    }
    symlinkSync('v1', join(directory, 'data'))
    const load = () => loadConfig({ file: join(directory, 'data', 'sandgate.yaml') })
    const initial = load()
    if (!initial.ok) throw new Error(formatConfigErrors(initial.errors))
    const config = createLiveConfig({ load, initial, onReload: () => {}, onError: () => {} })
    onTestFinished(config.stop)
    await watching()
    symlinkSync('v2', join(directory, 'data.new'))
    renameSync(join(directory, 'data.new'), join(directory, 'data'))
    await vi.waitFor(() => expect(config.current().rateLimits.groups['payments.fund']).toBe(8), withinASecond)
  })

  it('takes effect when it is the partners file', async () => {
    const { write, config } = live({ 'sandgate.yaml': '' })
    await watching()
    write('partners.yaml', PARTNERS.replace('sha256', 'revoked: true, sha256'))
    const key = () => config.current().partners[0]?.keys[0]
    await vi.waitFor(() => expect(key()?.revoked).toBe(true), withinASecond)
  })

  it('takes effect when it is a partners file that the configuration has just begun to name', async () => {
    const { write, config } = live({
      'sandgate.yaml': '',
      'others.yaml': PARTNERS.replace('id: acme', 'id: two'),
    })
    const first = () => config.current().partners[0]?.id
    write('sandgate.yaml', 'partners: ./others.yaml\n')
    await vi.waitFor(() => expect(first()).toBe('two'), withinASecond)
    write('others.yaml', PARTNERS.replace('id: acme', 'id: three'))
    await vi.waitFor(() => expect(first()).toBe('three'), withinASecond)
  })

  it('needs a restart for what cannot change while running, and says so', async () => {
    const { write, config, onReload, paymentLimit } = live({ 'sandgate.yaml': withLimit(7) })
    await watching()
    write('sandgate.yaml', `${withLimit(8)}listen: { port: 9000 }\nstore: { path: ./elsewhere }\n`)
    await vi.waitFor(() => expect(paymentLimit()).toBe(8), withinASecond)
    expect(onReload).toHaveBeenCalledWith(config.current(), ['listen.port', 'store.path'])
    expect(config.current().listen.port).toBe(8080)
    expect(config.current().store.path).toBe('./data')
    expect(config.status()).toMatchObject({ ok: true, needsRestart: ['listen.port', 'store.path'] })
  })
})

describe('a bad file', () => {
  it('changes nothing, shows in the status, and is over with the next good version', async () => {
    const { write, config, onError, onReload, paymentLimit } = live({ 'sandgate.yaml': withLimit(7) })
    await watching()
    const before = config.current()
    write('sandgate.yaml', `${withLimit(8)}caps: 5\n`)
    await vi.waitFor(() => expect(config.status().ok).toBe(false), withinASecond)
    expect(config.current()).toBe(before)
    expect(onReload).not.toHaveBeenCalled()
    expect(onError).toHaveBeenCalledWith([expect.objectContaining({ path: 'caps', line: 2 })])
    expect(config.status()).toMatchObject({ errors: [{ path: 'caps' }], since: expect.any(Number) })

    write('sandgate.yaml', withLimit(8))
    await vi.waitFor(() => expect(paymentLimit()).toBe(8), withinASecond)
    expect(config.status().ok).toBe(true)
  })

  it('keeps the time since which the files have been wrong', async () => {
    const { write, config, onError } = live({ 'sandgate.yaml': '' })
    await watching()
    write('sandgate.yaml', 'caps: 5\n')
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1), withinASecond)
    const { since } = config.status()
    write('sandgate.yaml', 'caps: 55\n')
    await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(2), withinASecond)
    expect(config.status().since).toBe(since)
  })

  it('may be a partners file that is gone for a while', async () => {
    const { directory, write, config, onReload } = live({ 'sandgate.yaml': '' })
    await watching()
    rmSync(join(directory, 'partners.yaml'))
    await vi.waitFor(() => expect(config.status().ok).toBe(false), withinASecond)
    expect(config.current().partners).toHaveLength(1)
    write('partners.yaml', PARTNERS)
    await vi.waitFor(() => expect(onReload).toHaveBeenCalled(), withinASecond)
    expect(config.status().ok).toBe(true)
  })
})

describe('SIGHUP', () => {
  it('reloads, and many at once reload once', async () => {
    const { load, onReload } = live({ 'sandgate.yaml': '' })
    await watching()
    load.mockClear()
    for (let i = 0; i < 20; i++) process.kill(process.pid, 'SIGHUP')
    await vi.waitFor(() => expect(onReload).toHaveBeenCalled(), withinASecond)
    await watching()
    expect(load).toHaveBeenCalledTimes(1)
  })

  it('is left alone after stop, and so are the files', async () => {
    const { config, write, onReload, onError } = live({ 'sandgate.yaml': '' })
    const others = process.listenerCount('SIGHUP')
    await watching()
    config.stop()
    expect(process.listenerCount('SIGHUP')).toBe(others - 1)
    write('sandgate.yaml', 'caps: []\n')
    await watching()
    await watching()
    expect(onReload).not.toHaveBeenCalled()
    expect(onError).not.toHaveBeenCalled()
  })
})
