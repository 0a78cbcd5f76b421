// Records exchanges that are full of secrets until it is killed. Prints how many ends are on the disk.
import { createWriter } from '../../dist/cassettes/writer.js'

const [path, secret, phone] = process.argv.slice(2)
const header = {
  version: 1,
  product: 'sandgate/0.1.0',
  t0: Date.UTC(2026, 0, 15, 9, 30),
  origin: 'https://sandbox.example.com',
  profile: 'contract',
  volatile: [],
}
const writer = await createWriter({
  path,
  header,
  rules: [],
  testValues: [],
  allowHeaders: [],
  personal: true,
  secrets: [secret],
  existing: 'replace',
  leftover: 'resume',
})
const base64 = Buffer.from(`x${secret}`).toString('base64')
const json = [['Content-Type', 'application/json']]
for (let n = 1; ; n++) {
  for (let i = 0; i < 20; i++) {
    writer.record({
      startedAt: header.t0 + n,
      durationMs: 1,
      partner: undefined,
      lane: '',
      operation: 'kyc.submit',
      origin: 'upstream',
      request: {
        method: 'POST',
        target: `/v1/kyc/submit?k=${encodeURIComponent(encodeURIComponent(secret))}`,
        httpVersion: '1.1',
        headers: [...json, ['Authorization', `Bearer ${secret}`], ['X-Api-Key', secret]],
        body: Buffer.from(JSON.stringify({ phone, note: base64, n: n * 20 + i })),
      },
      reply: {
        status: 200,
        headers: [...json, ['Set-Cookie', `s=${secret}`]],
        body: Buffer.from(JSON.stringify({ phone, secret })),
      },
    })
  }
  await writer.flush()
  process.stdout.write(`${writer.status().written}\n`)
}
