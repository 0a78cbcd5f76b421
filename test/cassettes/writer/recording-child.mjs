// Records exchanges that are full of secrets until it is killed. Prints how many ends are on the disk.
// `thread`: as a gateway records; `inline`: the recorder alone, which starts in a third of the time.
const [path, secret, phone, mode] = process.argv.slice(2)
const settings = {
  path,
  header: {
    version: 2,
    product: 'sandgate/0.1.0',
    t0: Date.UTC(2026, 0, 15, 9, 30),
    origin: 'https://sandbox.example.com',
    profile: 'contract',
    volatile: [],
    outcomes: { from: 'built-in', rules: [], scores: {} },
  },
  allowHeaders: [],
  personal: true,
  secrets: [secret],
  existing: 'replace',
  leftover: 'resume',
}
const json = [['Content-Type', 'application/json']]
const started = { startedAt: settings.header.t0, partner: undefined, lane: '', operation: 'kyc.submit' }
const ended = { durationMs: 1, origin: 'upstream' }
const request = {
  method: 'POST',
  target: `/v1/kyc/submit?k=${encodeURIComponent(encodeURIComponent(secret))}`,
  httpVersion: '1.1',
  headers: [...json, ['Authorization', `Bearer ${secret}`], ['X-Api-Key', secret]],
  body: Buffer.from(JSON.stringify({ phone, note: Buffer.from(`x${secret}`).toString('base64') })),
}
const reply = {
  status: 200,
  headers: [...json, ['Set-Cookie', `s=${secret}`]],
  body: Buffer.from(JSON.stringify({ phone, secret })),
}

if (mode === 'thread') {
  const { createWriter } = await import('../../../dist/cassettes/writer/writer.js')
  const writer = await createWriter(settings)
  for (;;) {
    for (let i = 0; i < 20; i++) writer.record({ ...started, ...ended, request, reply })
    await writer.flush()
    process.stdout.write(`${writer.status().written}\n`)
  }
}

const { createRedactingRecorder } = await import('../../../dist/cassettes/writer/redacting-recorder.js')
const fields = {
  rules: { phone: { kind: 'personal', type: 'phone' } },
  shapes: {
    phone: { pattern: '^\\+[1-9][0-9]{6,14}$', minLength: 0, maxLength: 20, date: false, standIn: 'phone' },
  },
  names: [],
  words: [],
}
const recorder = createRedactingRecorder({ ...settings, fields })
const bytes = Buffer.concat([request.body, reply.body])
for (let id = 1; ; ) {
  const items = []
  for (let i = 0; i < 20; i++, id++) {
    const replied = { ...reply, body: [request.body.length, reply.body.length] }
    items.push({ open: { ...started, ...request, id, body: [0, request.body.length] } })
    items.push({ end: { ...ended, id, reply: replied } })
  }
  recorder.take(items, bytes)
  process.stdout.write(`${id - 1}\n`)
  // The line has to leave the process before the next batch begins.
  await new Promise((resolve) => setImmediate(resolve))
}
