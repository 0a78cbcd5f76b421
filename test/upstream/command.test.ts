import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DECIDED_OPERATIONS, SHARING_RECORDS } from '../../src/config/contract.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { OPERATIONS } from '../../src/operations/operations.ts'
import { COMMAND } from '../support/command.ts'
import { startGateway, temporaryDirectory } from '../support/gateway.ts'
import { get, token } from '../support/http.ts'
import { answer, endScripted, scripted } from './scripted.ts'

afterEach(endScripted)

const listed = answer(200, '{"items":["of the upstream"],"nextCursor":null}')

describe('sandgate serve --upstream', () => {
  it('lets the sandbox behind decide, and keeps tokens and the usage view', async () => {
    const { url, requests } = await scripted((socket) => socket.write(listed))
    const gateway = await startGateway({ flags: ['--upstream', url] })
    expect((await get(gateway, '/v1/accounts')).json.items).toEqual(['of the upstream'])
    expect((await get(gateway, '/portal/usage')).json).toHaveProperty('caps')
    expect(requests.map(({ target }) => target)).toEqual(['/v1/accounts'])
    await gateway.stop()
  })

  it('has a fault at once when the sandbox answers what its client does not expect', async () => {
    const { url } = await scripted((socket) =>
      socket.write('HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\n{}'),
    )
    const gateway = await startGateway({ flags: ['--upstream', url] })
    await token(gateway)
    const before = processorMs(gateway.pid)
    const { status, json } = await get(gateway, '/v1/accounts')
    expect([status, json.code]).toEqual([502, 'UPSTREAM_INDETERMINATE'])
    // An assertion without a message makes Node parse the whole bundle to write one: some 3000 ms.
    expect(processorMs(gateway.pid) - before).toBeLessThan(1000)
    await gateway.stop()
  })

  it('says what is wrong with an address', () => {
    const run = () =>
      execFileSync(process.execPath, [COMMAND, 'serve', '--upstream', 'sandbox'], { stdio: 'pipe' })
    expect(run).toThrow(/--upstream: upstream\.url: must be an absolute http or https URL/)
  })
})

/** What a process has used of its processors, in milliseconds: fields 14 and 15 of proc(5), in hundredths. */
function processorMs(pid: number): number {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

describe('config check', () => {
  const warningsOf = (text: string): readonly string[] => {
    const file = join(temporaryDirectory('check'), 'sandgate.yaml')
    writeFileSync(file, `${text}\npartners: []\n`)
    const loaded = loadConfig({ file })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors))
    return loaded.warnings
  }
  const URL = 'upstream: { url: https://sandbox.example.com }'

  it.each([
    ['credit.apply', 'accounts, payments, credit and scores'],
    ['kyc.submit', 'identity checks and widget sessions'],
    ['webhooks.list', 'webhooks'],
  ])('warns when %s comes from another source than what it shares records with', (id, what) => {
    const warnings = warningsOf(`${URL}\ndecisions: { operations: { ${id}: upstream } }`)
    expect(warnings).toEqual([expect.stringContaining(`${what} share records`)])
  })

  it('has nothing to say of operations that move as a whole, nor of one that shares nothing', () => {
    expect(warningsOf(`${URL}\ndecisions: { from: upstream }`)).toEqual([])
    expect(warningsOf(`${URL}\ndecisions: { operations: { kyb.submit: upstream } }`)).toEqual([])
  })

  it('warns of plain http beyond loopback', () => {
    expect(warningsOf('upstream: { url: http://sandbox.example.com }')).toEqual([
      expect.stringContaining('plain http beyond loopback'),
    ])
    expect(warningsOf('upstream: { url: "http://127.0.0.1:9" }')).toEqual([])
  })
})

describe('the operations that can be forwarded', () => {
  it('are all but the usage view and what the sandbox says of itself, and what shares records is among them', () => {
    const isOurs = ({ shows, path }: Operation) => shows === 'usage' || path.startsWith('/v1/sandbox/')
    const ids = OPERATIONS.filter((row) => !isOurs(row)).map(({ id }) => id)
    expect([...DECIDED_OPERATIONS].sort()).toEqual(ids.sort())
    expect(DECIDED_OPERATIONS).toEqual(expect.arrayContaining(Object.values(SHARING_RECORDS).flat()))
  })
})
