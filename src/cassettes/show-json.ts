/**
 * JSON for people, in its own tokens: `10.00` stays `10.00`. For display only. Undefined when the text is no JSON.
 */
export function prettyJson(text: string): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  let result = ''
  let indent = ''
  const token = /"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+|[{}[\],:]/g
  const tokens = text.match(token) ?? []
  for (const [i, part] of tokens.entries()) {
    const next = tokens[i + 1]
    switch (part) {
      case '{':
      case '[':
        result += part
        if (next === '}' || next === ']') break
        indent += '  '
        result += `\n${indent}`
        break
      case '}':
      case ']': {
        const before = tokens[i - 1]
        if (before !== '{' && before !== '[') {
          indent = indent.slice(2)
          result += `\n${indent}`
        }
        result += part
        break
      }
      case ',':
        result += `,\n${indent}`
        break
      case ':':
        result += ': '
        break
      default:
        result += part
    }
  }
  return result
}
