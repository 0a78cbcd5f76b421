/**
 * JSON with one small thing per line: a header, a binding, a short list. Cassettes are committed and reviewed, and
 * neither a file on one line nor four lines for each header make a readable difference.
 */
const WIDTH = 110

export function formatJson(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  const items: string[] = []
  let flat = true
  if (Array.isArray(value)) {
    for (const item of value) {
      flat &&= isPrimitive(item)
      items.push(formatJson(item, deeper))
    }
    return wrap('[', items, ']', flat, indent)
  }
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue
    flat &&= isPrimitive(item)
    items.push(`${JSON.stringify(name)}: ${formatJson(item, deeper)}`)
  }
  return wrap('{', items, '}', flat, indent)
}

function wrap(open: string, items: readonly string[], close: string, flat: boolean, indent: string): string {
  if (items.length === 0) return open + close
  if (flat) {
    const length = items.reduce((sum, item) => sum + item.length + 2, indent.length + 4)
    const space = open === '{' ? ' ' : ''
    if (length <= WIDTH) return `${open}${space}${items.join(', ')}${space}${close}`
  }
  const separator = `,\n${indent}  `
  return `${open}\n${indent}  ${items.join(separator)}\n${indent}${close}`
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
