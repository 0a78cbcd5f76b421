import { randomUUID } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { directories } from '../support/leftovers.ts'
import { createAuthority } from './certificates.ts'
import { endAfterEachTest, startFront, temporaryDirectory } from './front.ts'
import { answer, paid, scripted } from './scripted.ts'

endAfterEachTest()

const directory = mkdtempSync(join(tmpdir(), 'sandgate-tls-'))
afterAll(() => void directories.add(directory))
const authority = createAuthority(directory)
const stranger = createAuthority(mkdtempSync(join(directory, 'stranger-')))
const good = authority.issue('localhost')

const listed = answer(200, '{"items":[],"nextCursor":null}')

describe('an upstream that shows', () => {
  it.each([
    ['a certificate for another name', authority.issue('other.example.com')],
    ['a certificate that has ended', authority.issue('localhost', -1)],
    ['a certificate of an authority that is not trusted', stranger.issue('localhost')],
  ])('%s is told nothing', async (_, certificate) => {
    const { url, requests } = await scripted((socket) => void socket.write(paid), { tls: certificate })
    const front = await startFront(url, { upstream: { tls: { ca: authority.caFile } } })
    const told = await front.pay(randomUUID())
    expect(told).toMatchObject({ status: 502, code: 'UPSTREAM_UNAVAILABLE' })
    expect(JSON.parse(told.body).detail).toBe('Its TLS certificate is not trusted.')
    expect(requests).toHaveLength(0)
    expect(await front.spent()).toEqual({ used: 0, reserved: 0 })
  })

  it('a good certificate is asked, and asked on when it has been renewed', async () => {
    const server = await scripted(
      (socket) => {
        socket.write(listed)
        setTimeout(() => socket.destroy(), 2)
      },
      { tls: good },
    )
    const front = await startFront(server.url, { upstream: { tls: { ca: authority.caFile } } })
    expect(await front.get()).toMatchObject({ status: 200 })
    server.renew(authority.issue('localhost'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await front.get()).toMatchObject({ status: 200 })
  })
})

describe('certificates of the gateway', () => {
  it('are read again for the next connection when their files have changed', async () => {
    const files = temporaryDirectory()
    const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(files, name))
    const put = (name: string) => {
      const own = authority.issue(name)
      cpSync(authority.caFile, ca ?? '')
      writeFileSync(cert ?? '', own.cert)
      writeFileSync(key ?? '', own.key)
    }
    put('first.example.com')
    const seen: string[] = []
    const { url } = await scripted(
      (socket) => {
        seen.push(String((socket as TLSSocket).getPeerCertificate().subject.CN))
        socket.write(listed)
        setTimeout(() => socket.destroy(), 2)
      },
      {
        tls: {
          ...good,
          ca: readFileSync(authority.caFile),
          requestCert: true,
          rejectUnauthorized: true,
        },
      },
    )
    const front = await startFront(url, { upstream: { tls: { ca, cert, key } } })
    expect(await front.get()).toMatchObject({ status: 200 })
    put('second.example.com')
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await front.get()).toMatchObject({ status: 200 })
    expect(seen).toEqual(['first.example.com', 'second.example.com'])
  })
})

describe('the address of an upstream', () => {
  it('is looked up again for the next connection when it has changed', async () => {
    let at = '127.0.0.2'
    const lookup = (_host: string, options: { all?: boolean }, done: (...args: unknown[]) => void) =>
      options.all ? done(null, [{ address: at, family: 4 }]) : done(null, at, 4)
    const first = await scripted((socket) => void socket.write(answer(200, '"first"')), { host: '127.0.0.2' })
    const second = await scripted((socket) => void socket.write(answer(200, '"second"')), {
      ...{ host: '127.0.0.3', port: first.port },
    })
    const front = await startFront(`http://sandbox.test:${first.port}`, { lookup: lookup as never })
    expect((await front.get()).body).toBe('"first"')
    at = '127.0.0.3'
    await first.close()
    expect((await front.get()).body).toBe('"second"')
    expect(second.requests[0]?.header('host')).toEqual([`sandbox.test:${first.port}`])
  })
})
