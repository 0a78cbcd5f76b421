import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collection, ENVIRONMENT } from '../../scripts/collections/requests.ts'
import { REFERENCES } from '../../scripts/references.ts'
import { ROWS } from '../../src/operations/operations.ts'
import { type Gateway, startGateway, temporaryDirectory } from '../support/gateway.ts'
import { partners, type TestPartner } from '../support/partners.ts'

const FOLDER = 'docs/collections'
const POSTMAN = join(FOLDER, 'sandgate.postman_collection.json')
const RUNNERS = 'node_modules/.cache/collection-runners/node_modules'
const { requests } = collection()

let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ partners: partners(2), clock: 'system', runs: 'here' })
})
afterAll(() => gateway.stop())

/** The settings of a run, as both programs take them. */
const variables = ({ keyId, secret, tenant }: TestPartner, more: Partial<typeof SETTINGS> = {}) =>
  Object.entries({
    ...SETTINGS,
    clientId: keyId,
    clientSecret: secret,
    tenant,
    baseUrl: gateway.url,
    ...more,
  }).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])

const SETTINGS: Record<keyof typeof ENVIRONMENT, string> = { ...ENVIRONMENT, allowReset: 'true' }

function run(program: string, args: readonly string[], cwd = '.'): Promise<string> {
  return new Promise((done) => {
    const script = resolve(RUNNERS, program)
    execFile(process.execPath, [script, 'run', ...args], { cwd }, (error, out, err) => {
      if (error !== null) console.error(out, err)
      done(error === null ? 'passed' : 'failed')
    })
  })
}

type Item = { readonly name: string; readonly item?: readonly Item[] }

describe('the collections', () => {
  it('are what the source makes, and nothing else', () => {
    const there = readdirSync(FOLDER, { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((each) => each.isFile() && each.name !== 'README.md')
      .map((each) => join(each.parentPath, each.name))
    expect(there.sort()).toEqual(
      Object.keys(REFERENCES)
        .filter((file) => file.startsWith(`${FOLDER}/`))
        .sort(),
    )
  })

  it('have every operation, and make each id before it is used', () => {
    expect(new Set(requests.map(({ id }) => id))).toEqual(new Set(ROWS.map(({ id }) => id)))
    const made = new Set<string>()
    for (const { id, uses, makes } of requests) {
      expect(
        uses.filter(({ name }) => !made.has(name)),
        id,
      ).toEqual([])
      for (const name of makes) made.add(name)
    }
    expect([...made].sort()).toEqual(['accountId', 'sessionId', 'simulationId', 'webhookId'])
  })

  // One run of the program for all three: that it starts takes longer than what it sends.
  it('pass in Postman, from a fresh gateway, once more, and then in any order', async () => {
    const [file, result] = ['collection.json', 'result.json'].map((name) =>
      join(temporaryDirectory('postman'), name),
    ) as [string, string]
    const whole = JSON.parse(readFileSync(POSTMAN, 'utf8')) as { item: readonly Item[] }
    const items = whole.item.flatMap(({ item = [] }) => item)
    const asked = ({ name }: Item) => requests.find((each) => each.name === name)
    const makers = items.filter((item) => asked(item)?.makes.length)
    const others = items.filter((item) => !asked(item)?.deletes)
    const [order = []] = fc.sample(fc.shuffledSubarray(others, { minLength: others.length }), 1)
    // The last request took the records away, so that ids are made anew before they are used in any order.
    const item = [...whole.item, ...whole.item, ...makers, ...order]
    writeFileSync(file, JSON.stringify({ ...whole, item }))
    const demo = join(FOLDER, 'sandgate.postman_environment.json')
    const report = ['--reporters', 'cli,json', '--reporter-json-export', result]
    const settings = variables(gateway.nextPartner())
    expect(
      await run('newman/bin/newman.js', [file, '-e', demo, ...settings, ...report]),
      order.map(({ name }) => name).join(', '),
    ).toBe('passed')
    const total = 2 * items.length + makers.length + others.length
    expect(JSON.parse(readFileSync(result, 'utf8')).run.stats).toMatchObject({
      items: { total, failed: 0 },
      // Each of them, and no token beside those that are asked for by name.
      requests: { total, failed: 0 },
      assertions: { failed: 0 },
    })
    expect(items).toHaveLength(requests.length)
  })

  it('pass in Bruno, twice', async () => {
    const result = join(temporaryDirectory('bruno'), 'result.json')
    const settings = variables(gateway.nextPartner())
    // Its own sandbox, which is the default, needs four times as long for the same.
    const more = ['-r', '--sandbox', 'developer', '--iteration-count', '2', '--reporter-json', result]
    const folder = join(FOLDER, 'bruno')
    expect(await run('@usebruno/cli/bin/bru.js', [...more, '--env', 'demo', ...settings], folder)).toBe(
      'passed',
    )
    const runs = JSON.parse(readFileSync(result, 'utf8')) as { summary: Record<string, number> }[]
    expect(runs.map(({ summary }) => summary.passedRequests)).toEqual([requests.length, requests.length])
  })

  it('delete nothing unless the environment says so', () => {
    expect(ENVIRONMENT.allowReset).not.toBe('true')
    const text = readFileSync(POSTMAN, 'utf8')
    expect(text).toContain("if (pm.environment.get('allowReset') !== 'true') pm.execution.skipRequest()")
  })
})
