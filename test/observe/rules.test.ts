import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { BOARDS } from '../../scripts/dashboards/boards.ts'
import { FAMILIES, type FamilyName } from '../../src/observe/families.ts'
import { promtool } from '../support/prometheus.ts'

const DIRECTORY = 'dashboards/prometheus'
const TESTS = ['alerts.yml', 'alerts-of-a-day.yml'].map((name) => `${DIRECTORY}/tests/${name}`)
const read = (file: string) => parse(readFileSync(file, 'utf8'))

type Alert = {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const groups: { rules: (Alert | { record: string; expr: string })[] }[] = [
  ...read(`${DIRECTORY}/sandgate-recording.yml`).groups,
  ...read(`${DIRECTORY}/sandgate-alerts.yml`).groups,
]
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule): rule is Alert => 'alert' in rule)
const runbooks = readFileSync('docs/alerts.md', 'utf8')

describe('the rules for Prometheus', () => {
  it('and its configuration are what promtool accepts', () => {
    promtool(['check', 'rules', `${DIRECTORY}/sandgate-recording.yml`, `${DIRECTORY}/sandgate-alerts.yml`])
    promtool(['check', 'config', `${DIRECTORY}/prometheus.yml`])
  })

  it('fire on what they are for, and none on a calm day', () => {
    promtool(['test', 'rules', ...TESTS])
  })

  it('are tested one and all', () => {
    const tests = TESTS.map((file) => readFileSync(file, 'utf8')).join('')
    for (const { alert } of alerts)
      expect(tests).toContain(`labels: 'ALERTS{alertname="${alert}", alertstate="firing"`)
  })

  it.each(alerts)('$alert says whom it wakes, and has a runbook', ({ alert, labels, annotations }) => {
    expect(labels.severity).toMatch(/^(page|ticket)$/)
    expect(annotations.summary).toMatch(/\.$/)
    expect(annotations.description).toMatch(/\.$/)
    expect(annotations.runbook_url).toBe(`docs/alerts.md#${alert.toLowerCase()}`)
    expect(runbooks).toContain(`\n## ${alert}\n`)
  })

  it('have a runbook for no alert that is gone', () => {
    const headings = [...runbooks.matchAll(/^## (Sandgate\w+)$/gm)].map(([, name]) => name)
    expect(headings.sort()).toEqual(alerts.map(({ alert }) => alert).sort())
  })
})

describe('what dashboards and rules ask for', () => {
  const recorded = new Set(rules.flatMap((rule) => ('record' in rule ? [rule.record] : [])))
  const expressions = [
    ...rules.map(({ expr }) => expr),
    ...BOARDS.flatMap(({ rows }) =>
      rows.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
    ),
  ]

  it('are metrics that the gateway has, with labels that they have', () => {
    for (const expr of expressions) {
      for (const [, name = '', matchers = ''] of expr.matchAll(/(?<![\w:])(sandgate_\w+)(?:\{([^}]*)\})?/g)) {
        const family = name.replace(/_(bucket|sum|count)$/, '') as FamilyName
        expect(FAMILIES, `${name} in ${expr}`).toHaveProperty(family)
        const labels = [...matchers.matchAll(/(\w+)\s*(?:=|!=)/g)].map(([, label]) => label)
        expect([...FAMILIES[family].labels, 'instance', 'job']).toEqual(expect.arrayContaining(labels))
      }
      for (const [name] of expr.matchAll(/\b[a-z_]+:sandgate_\w+:\w+/g)) expect(recorded).toContain(name)
    }
  })

  it('leave no metric without a panel', () => {
    const asked = BOARDS.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels)).flatMap(({ queries }) =>
      queries.flatMap(({ expr }) => [...expr.matchAll(/sandgate_\w+/g)].map(([name]) => name)),
    )
    const shown = new Set(asked.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
    expect(Object.keys(FAMILIES).filter((name) => !shown.has(name))).toEqual([])
  })
})

describe('the dashboards', () => {
  const panels = BOARDS.flatMap((board) => board.rows.flatMap((row) => row.panels))

  it.each(BOARDS)('$title has a description and a unit on every panel', ({ rows }) => {
    for (const { title, description, unit, queries } of rows.flatMap((row) => row.panels)) {
      expect(description, title).toMatch(/\.$/)
      expect(unit, title).not.toBe('')
      expect(queries.length, title).toBeGreaterThan(0)
    }
  })

  it('have a name of their own each, and so have their panels within a board', () => {
    expect(new Set(BOARDS.map(({ uid }) => uid)).size).toBe(BOARDS.length)
    for (const { rows } of BOARDS) {
      for (const { panels: ofRow } of rows) {
        expect(new Set(ofRow.map(({ title }) => title)).size).toBe(ofRow.length)
      }
    }
    expect(panels.length).toBeGreaterThan(30)
  })

  it('are found where the compose file mounts them, and provisioned from there', () => {
    const { services } = read('dashboards/compose.yml')
    const mounted: string[] = services.grafana.volumes
    const provider = read('dashboards/grafana/provisioning/dashboards/sandgate.yml').providers[0]
    for (const { file, uid } of BOARDS) {
      expect(mounted).toContain(`./${file}:${provider.options.path}/${file}:ro`)
      expect(JSON.parse(readFileSync(`dashboards/${file}`, 'utf8')).uid).toBe(uid)
    }
    const [source] = read('dashboards/grafana/provisioning/datasources/prometheus.yml').datasources
    expect(services.prometheus.command.join()).toContain(new URL(source.url).host)
    const { scrape_interval: interval } = read(`${DIRECTORY}/prometheus.yml`).global
    expect(source.jsonData.timeInterval).toBe(interval)
  })
})
