import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RATE_LIMIT_GROUPS, SCOPES } from '../../src/config/contract.ts'
import { DEFAULT_OUTCOMES } from '../../src/config/outcomes.ts'
import { DEFAULT_CAPS } from '../../src/config/partners.ts'
import { CATALOGUE } from '../../src/errors/catalogue.ts'
import { ROWS } from '../../src/operations/operations.ts'

const guide = readFileSync('docs/interface.md', 'utf8')
/** The formatter pads the cells of tables. */
const unpadded = guide.replaceAll(/ {2,}/g, ' ')

/** Each operation's part of the guide, by its heading. */
const sections = new Map(guide.split(/\n### /).map((text) => [text.split('\n', 1)[0] ?? '', text]))

describe('the guide to the interface', () => {
  it.each(ROWS)('explains $id and shows it with curl', ({ id, method, path }) => {
    const section = sections.get(`\`${id}\`: ${method} ${path}`) ?? ''
    const [explanation = '', ...commands] = section.split('\n```sh\n')
    expect(explanation.length).toBeGreaterThan(80)
    const fixed = path.split('{')[0] ?? path
    expect(commands.some((command) => command.includes(`$BASE${fixed}`))).toBe(true)
  })

  it('has no operation that the gateway does not have', () => {
    const known = ROWS.map(({ id, method, path }) => `\`${id}\`: ${method} ${path}`)
    expect([...sections.keys()].slice(1)).toEqual(known)
  })

  it('has the limits, caps, rules and scopes that the gateway ships with', () => {
    for (const [group, limit] of Object.entries(RATE_LIMIT_GROUPS)) {
      expect(unpadded).toMatch(new RegExp(`\\| \`${group}\`[^|]*\\| ${limit} \\|`))
    }
    for (const { product, limit, unit, period } of DEFAULT_CAPS) {
      expect(unpadded).toContain(
        `| \`${product}\` | ${limit} ${unit === 'calls' ? 'calls' : 'XOF'} a ${period} |`,
      )
    }
    for (const { id } of DEFAULT_OUTCOMES) expect(unpadded).toContain(`\`${id}\``)
    for (const scope of SCOPES) expect(unpadded).toContain(`| \`${scope}\` |`)
  })

  it('names every code of the contract, and no code that there is not', () => {
    const named = new Set([...guide.matchAll(/\b[A-Z]{3,}(?:_[A-Z]+)+\b/g)].map(([code]) => code))
    const contract = Object.entries(CATALOGUE).flatMap(([code, { kind }]) =>
      kind === 'contract' || kind === 'decision' ? [code] : [],
    )
    expect(contract.filter((code) => !named.has(code))).toEqual([])
    const variables = ['ACCOUNT_ID', 'SESSION_ID', 'WEBHOOK_ID']
    expect([...named].filter((code) => !(code in CATALOGUE) && !variables.includes(code))).toEqual([])
  })
})

describe('the guide in French', () => {
  const french = readFileSync('docs/interface.fr.md', 'utf8')
  const blocks = (text: string) => text.match(/```\w+\n.*?\n```/gs)
  const headings = (text: string) => text.match(/^#+/gm)?.join(' ')
  const named = (text: string) => [...new Set(text.match(/`[^`\s]+`/g))]

  it('has the same commands, operations and parts, in the same order', () => {
    expect(blocks(french)).toEqual(blocks(guide))
    expect(headings(french)).toBe(headings(guide))
    expect(french.match(/^### .*/gm)).toEqual(guide.match(/^### .*/gm))
  })

  it('names everything that the English one names', () => {
    const known = new Set(named(french))
    expect(named(guide).filter((name) => !known.has(name))).toEqual([])
  })

  it('has the limits, caps, rules and scopes that the gateway ships with', () => {
    const plain = french.replaceAll(/ {2,}/g, ' ')
    for (const [group, limit] of Object.entries(RATE_LIMIT_GROUPS))
      expect(plain).toMatch(new RegExp(`\\| \`${group}\`[^|]*\\| ${limit} \\|`))
    for (const { product, limit, unit, period } of DEFAULT_CAPS) {
      const of = `${limit} ${unit === 'calls' ? 'appels' : 'XOF'} par ${period === 'day' ? 'jour' : 'mois'}`
      expect(plain).toContain(`| \`${product}\` | ${of} |`)
    }
  })
})
