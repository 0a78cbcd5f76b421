import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('every test that the threat model and the guides name exists', () => {
  const text = readFileSync('docs/threat-model.md', 'utf8')
  const named = [...new Set(text.match(/test\/[a-z/-]+\.test\.ts/g))]
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})

it('every relative link of the README and the guides leads to a file', () => {
  const guides = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/interface.md',
    'docs/operating.md',
    'docs/threat-model.md',
  ]
  for (const guide of guides) {
    const base = new URL(guide, `file://${process.cwd()}/`)
    const links = [...readFileSync(guide, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
    const broken = links.map(([, link = '']) => new URL(link, base)).filter((url) => !existsSync(url))
    expect(broken.map(String)).toEqual([])
  }
})
