import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { scratch } from '../cassettes/recording-fixtures.ts'
import { record } from './upstream.ts'

const directory = scratch()
const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')]

it('an upstream whose certificate is not trusted is not talked to', async () => {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2']
  execFileSync('openssl', ['req', ...made, ...subject], { stdio: 'ignore' })
  let requests = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_req, res) => {
    requests++
    res.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const recorder = await record(new URL(`https://localhost:${port}`), join(directory, 'tls.har'))
  const response = await fetch(recorder.url)
  expect(response.status).toBe(502)
  expect(await response.json()).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    detail: 'Its TLS certificate is not trusted.',
  })
  expect(requests).toBe(0)
})
