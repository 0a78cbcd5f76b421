import { PanelBuilder as Bars } from '@grafana/grafana-foundation-sdk/bargauge'
import * as common from '@grafana/grafana-foundation-sdk/common'
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as Graph } from '@grafana/grafana-foundation-sdk/timeseries'
import type { Board, Panel, Query } from './board.ts'

const SOURCE = { type: 'prometheus', uid: '$datasource' }
/** Every board of the gateway: the links between them follow from it. */
const TAG = 'sandgate'
const HEIGHT = { number: 4, graph: 8, stacked: 8, bars: 8 } as const
const WIDTH = { number: 4, graph: 8, stacked: 8, bars: 8 } as const

/** The JSON of a dashboard, for Grafana 10 and later. */
export function boardJson(board: Board): string {
  const builder = new dashboard.DashboardBuilder(board.title)
    .uid(board.uid)
    .description(board.description)
    .tags([TAG])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(
      new dashboard.DashboardLinkBuilder('Sandgate')
        .type(dashboard.DashboardLinkType.Dashboards)
        .tags([TAG])
        .keepTime(true)
        .includeVars(true),
    )
  for (const variable of variablesOf(board)) builder.withVariable(variable)
  for (const row of board.rows) {
    builder.withRow(new dashboard.RowBuilder(row.title))
    for (const panel of row.panels) builder.withPanel(panelOf(panel))
  }
  return `${JSON.stringify(builder.build(), null, 2)}\n`
}

function variablesOf({ perPartner }: Board) {
  const query = (name: string, label: string, text: string) =>
    new dashboard.QueryVariableBuilder(name)
      .label(label)
      .datasource(SOURCE)
      .query({ query: text, refId: name })
      .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
      .sort(dashboard.VariableSort.AlphabeticalAsc)
  return [
    new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    query('instance', 'Gateway', 'label_values(sandgate_build_info, instance)')
      .multi(true)
      .includeAll(true)
      .allValue('.*'),
    ...(perPartner
      ? [query('partner', 'Partner', 'label_values(sandgate_partner_answers_total, partner)')]
      : []),
  ]
}

function panelOf(panel: Panel) {
  const { kind, title, description, unit, width, queries, max } = panel
  const builder = kind === 'number' ? numberPanel(panel) : kind === 'bars' ? barsPanel(panel) : graph(panel)
  builder
    .title(title)
    .description(description)
    .unit(unit)
    .datasource(SOURCE)
    .height(HEIGHT[kind])
    .span(width ?? WIDTH[kind])
  if (max !== undefined) builder.min(0).max(max)
  if (panel.words) builder.mappings([wordsOf(panel.words)])
  if (panel.linksToPartner) builder.dataLinks([partnerLink()])
  for (const [index, query] of queries.entries()) builder.withTarget(target(query, index, kind))
  return builder
}

function graph({ kind, limits }: Panel) {
  const builder = new Graph()
    .min(0)
    .lineWidth(1)
    .fillOpacity(kind === 'stacked' ? 40 : 10)
    .showPoints(common.VisibilityMode.Never)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(common.LegendDisplayMode.Table)
        .placement(common.LegendPlacement.Bottom)
        .calcs(['lastNotNull', 'max'])
        .showLegend(true),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(common.TooltipDisplayMode.Multi)
        .sort(common.SortOrder.Descending),
    )
  if (kind === 'stacked')
    builder.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal))
  if (limits) {
    builder
      .thresholds(thresholds(limits))
      .thresholdsStyle(
        new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed),
      )
  }
  return builder
}

function numberPanel({ limits }: Panel) {
  return new Stat()
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .graphMode(common.BigValueGraphMode.Area)
    .colorMode(common.BigValueColorMode.Value)
    .thresholds(thresholds(limits ?? {}))
}

function barsPanel({ limits }: Panel) {
  return new Bars()
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .orientation(common.VizOrientation.Horizontal)
    .displayMode(common.BarGaugeDisplayMode.Basic)
    .thresholds(thresholds(limits ?? {}))
}

function thresholds({ warning, wrong }: NonNullable<Panel['limits']>) {
  const steps = [
    { value: null, color: 'green' },
    ...(warning === undefined ? [] : [{ value: warning, color: 'orange' }]),
    ...(wrong === undefined ? [] : [{ value: wrong, color: 'red' }]),
  ]
  return new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps(steps)
}

function wordsOf([zero, one]: readonly [string, string]): dashboard.ValueMapping {
  return {
    type: dashboard.MappingType.ValueToText,
    options: { '0': { text: zero, index: 0 }, '1': { text: one, index: 1 } },
  }
}

function partnerLink() {
  return new dashboard.DashboardLinkBuilder('This partner')
    .type(dashboard.DashboardLinkType.Link)
    .url(
      `/d/sandgate-partners?${grafana('__url_time_range')}&var-partner=${grafana('__field.labels.partner')}`,
    )
}

function target({ expr, legend }: Query, index: number, kind: Panel['kind']) {
  const builder = new DataqueryBuilder()
    .refId(String.fromCharCode(65 + index))
    .datasource(SOURCE)
    .expr(expr)
    .legendFormat(legend ?? '__auto')
  return kind === 'bars' ? builder.instant() : builder.range()
}

/** A variable that Grafana fills in. */
function grafana(name: string): string {
  return `$\{${name}}`
}
