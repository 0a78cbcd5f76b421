import { RATE_LIMIT_GROUPS } from '../src/config/contract.ts'
import { byStatus, codesOf } from '../src/operations/openapi-codes.ts'
import type { OperationRow } from '../src/operations/operation.ts'
import { ROWS } from '../src/operations/operations.ts'
import { table } from './markdown.ts'

/** The operations, as Markdown, from their table. */
export function operationsReference(): string {
  return `${[
    '# Operations',
    'The full schemas are in [openapi.json](openapi.json), and under `/docs` of a running gateway; [interface.md](../interface.md) explains them with examples. Rate limits are requests per minute, as shipped.',
    table(['Operation', 'Request', 'Token', 'Rate limit', 'Cap'], ROWS.map(rowOf)),
    ...ROWS.map(section),
  ].join('\n\n')}\n`
}

function rowOf(row: OperationRow): string[] {
  const { id, method, path, auth, group, countsPer, cap } = row
  const anchor = id.replaceAll(/[^a-z0-9-]/g, '')
  const token = auth === 'client' ? 'client credentials' : auth === 'any' ? 'any' : `\`${auth}\``
  const whom = { partner: 'partner', ip: 'client IP', client: 'client' }[countsPer]
  return [
    `[\`${id}\`](#${anchor})`,
    `${method} \`${path}\``,
    token,
    `${RATE_LIMIT_GROUPS[group]} per ${whom} (\`${group}\`)`,
    cap ? `\`${cap.product}\`` : '',
  ]
}

function section(row: OperationRow): string {
  const { id, method, path, summary, description, success } = row
  const codes = byStatus(codesOf(row)).map(([status, of]) => [
    String(status),
    of.map((code) => `\`${code}\``).join(', '),
  ])
  return [
    `## ${id}`,
    `**${summary}**: ${method} \`${path}\``,
    description,
    table(['Status', 'Answer'], [[String(success.status), success.description], ...codes]),
  ].join('\n\n')
}
