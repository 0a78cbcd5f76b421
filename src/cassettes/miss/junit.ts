import { missText } from './console.ts'
import { missDetail } from './problem.ts'
import type { MissReport } from './report.ts'

/** Misses as a JUnit test suite, one failed case each: what CI systems show beside the tests. */
export function missJUnit(reports: readonly MissReport[], suite = 'cassette'): string {
  const cases = reports.map((report, i) => {
    const { method, target, operation } = report.request
    const name = attribute(`${i + 1}. ${method} ${target}`)
    const message = attribute(missDetail(report))
    return [
      `    <testcase classname="${attribute(`${suite}.${operation}`)}" name="${name}" time="0">`,
      `      <failure type="CASSETTE_MISS" message="${message}">${content(missText(report))}</failure>`,
      '    </testcase>',
    ].join('\n')
  })
  const count = reports.length
  const counts = `tests="${count}" failures="${count}" errors="0" skipped="0" time="0"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${attribute(suite)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function content(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function attribute(text: string): string {
  return content(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')
}

/** XML 1.0 has no way to write most control characters and lone surrogates, not even escaped. */
function printable(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
}
