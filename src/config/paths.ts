/** Where a value is in the configuration. */
export type Path = readonly (string | number)[]

/** `partners[0].keys[1].sha256`; a group such as `payments.fund` keeps its dot. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  )
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether `path` is `prefix` or below it. */
export function isWithin(path: Path, prefix: Path): boolean {
  return prefix.every((part, i) => path[i] === part)
}
