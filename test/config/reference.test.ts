import { describe, expect, it } from 'vitest'
import { cliReference, configReference } from '../../scripts/generate-config-reference.ts'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { EXIT_CODES } from '../../src/cli/exit-codes.ts'
import { settings, variableName } from '../../src/config/environment.ts'
import { ConfigSchema } from '../../src/config/schema.ts'
import type { Schema } from '../../src/config/wording.ts'

describe('the schema', () => {
  const all = settings(ConfigSchema)

  it.each(all.map(({ path, schema }) => [path.join('.'), schema] as const))(
    '%s has a description, and a default so that it may be left out',
    (_, schema) => {
      expect(schema.description).toMatch(/\.$/)
      expect(schema.default).not.toBeUndefined()
    },
  )

  it('gives every setting a variable of its own', () => {
    const variables = all.map(({ path }) => variableName(path))
    expect(new Set(variables).size).toBe(variables.length)
  })

  it('says in words what each pattern accepts', () => {
    const wordless: string[] = []
    const walk = (schema: Schema, path: string): void => {
      if (schema.pattern && !schema.shape) wordless.push(path)
      if (schema.patternProperties && !schema.shape) wordless.push(path)
      for (const [key, child] of Object.entries(schema.properties ?? {})) walk(child, `${path}.${key}`)
      for (const child of [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])])
        walk(child, path)
    }
    walk(ConfigSchema, '')
    expect(wordless).toEqual([])
  })
})

describe('the reference', () => {
  it('has a row for every setting, with what it takes, its default and its variable', () => {
    const text = configReference()
    for (const { path } of settings(ConfigSchema)) expect(text).toContain(`| \`${path.join('.')}\` |`)
    expect(text).toContain(
      '| `listen.port` | an integer from 0 to 65535 | `8080` | after a restart | `SANDGATE_LISTEN_PORT` |',
    )
    expect(text).toMatch(/`partners\[\]\.keys\[\]\.revoked` \| true or false \| `false` \| at once/)
  })

  it('has every command, option and exit code', () => {
    const text = cliReference()
    for (const { name, options } of COMMANDS) {
      expect(text).toContain(`## sandgate ${name}`)
      for (const option of Object.keys(options))
        expect(text).toMatch(new RegExp(`\`(?:-[a-z], )?--${option}\\b`))
    }
    for (const { code, description } of Object.values(EXIT_CODES)) {
      expect(text).toContain(`| ${code} | ${description} |`)
    }
  })
})
