import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/config/formats.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import { KEYWORDS, type Schema } from '../../src/config/wording.ts'

/** A keyword that the checker does not know, or knows in another place, checks nothing: it accepts every value. */
function faults(schema: Schema, path = ''): string[] {
  const own = Object.keys(schema).filter((keyword) => !(KEYWORDS as readonly string[]).includes(keyword))
  const found = own.map((keyword) => `${path}: ${keyword} is no keyword`)
  if (schema.format !== undefined && !Object.hasOwn(FORMATS, schema.format))
    found.push(`${path}: ${schema.format} is no format`)
  if (schema.shape !== undefined && schema.pattern === undefined && schema.patternProperties === undefined)
    found.push(`${path}: shape has no pattern that it puts into words`)
  const children = [
    ...Object.entries(schema.properties ?? {}),
    ...Object.entries(schema.patternProperties ?? {}),
    ...(schema.anyOf ?? []).map((child, i) => [`anyOf[${i}]`, child] as const),
    ...(schema.items ? [['[]', schema.items] as const] : []),
  ]
  return [...found, ...children.flatMap(([key, child]) => faults(child, `${path}.${key}`))]
}

describe('every keyword in the schema of the configuration', () => {
  it('is one that the checker knows, where it reads it', () => {
    expect(faults(ConfigSchema)).toEqual([])
  })

  it.each([
    ['a misspelled keyword', Type.String({ patern: '^a$' }), '.a: patern is no keyword'],
    [
      'a keyword of JSON Schema that is not read',
      Type.Array(Type.String(), { maxItems: 2 }),
      '.a: maxItems is no keyword',
    ],
    ['an unknown format', Type.String({ format: 'http-orgin' }), '.a: http-orgin is no format'],
    [
      'a shape in place of a format',
      Type.String({ shape: 'http-origin' }),
      '.a: shape has no pattern that it puts into words',
    ],
  ])('is refused otherwise: %s', (_, schema, expected) => {
    expect(faults(Type.Object({ a: schema }))).toEqual([expected])
  })
})
