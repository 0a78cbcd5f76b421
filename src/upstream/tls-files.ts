import { readFileSync, statSync } from 'node:fs'

export type TlsFiles = {
  readonly ca: string | null
  readonly cert: string | null
  readonly key: string | null
}

export type TlsContents = { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }

/**
 * What the files hold, read again when one of them has changed: a certificate is renewed without a restart. `isNew`
 * says that it has. While they cannot be read, or do not fit together yet, the last contents stand.
 */
export function createTlsFiles(files: TlsFiles): () => {
  readonly contents: TlsContents
  readonly isNew: boolean
} {
  const paths = Object.entries(files).filter((entry): entry is [keyof TlsFiles, string] => entry[1] !== null)
  let stamp = ''
  let contents: TlsContents = {}
  return () => {
    let current: string
    try {
      current = paths.map(([, path]) => stampOf(path)).join(' ')
      if (current === stamp) return { contents, isNew: false }
      contents = Object.fromEntries(paths.map(([name, path]) => [name, readFileSync(path)]))
    } catch (error) {
      if (stamp === '') throw error
      return { contents, isNew: false }
    }
    stamp = current
    return { contents, isNew: true }
  }
}

function stampOf(path: string): string {
  const { mtimeMs, ino, size } = statSync(path)
  return `${mtimeMs}:${ino}:${size}`
}
