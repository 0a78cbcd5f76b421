import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DATA_FILE } from '../store/lmdb-file.ts'
import { systemCode } from '../system-error.ts'
import { KEY_FILE } from '../tokens/key-file.ts'

/**
 * What a backup holds: a copy of the store, and the signing keys where there were some. The manifest is written last,
 * so a directory without it is no backup.
 */
export const MANIFEST = 'backup.json'

const VERSION = 1

export type BackupFile = { readonly name: string; readonly bytes: number; readonly sha256: string }

export type Manifest = {
  /** When it was begun: all that was acknowledged by then is in it. */
  readonly createdAt: string
  /** `sandgate/1.2.3`: who wrote it. */
  readonly by: string
  readonly files: readonly BackupFile[]
}

export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ version: VERSION, ...manifest }, null, 2)}\n`

/** The manifest of a backup, or why there is none: a clause about the directory. */
export function readManifest(directory: string): Manifest | string {
  let text: string
  try {
    text = readFileSync(join(directory, MANIFEST), 'utf8')
  } catch (cause) {
    const code = systemCode(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return `is no whole backup: it has no ${MANIFEST}`
    return `cannot be read (${code ?? 'unknown error'})`
  }
  try {
    const { version, ...rest } = JSON.parse(text) as Manifest & { version: unknown }
    if (typeof version === 'number' && version > VERSION)
      return 'was written by a newer version; use that one'
    if (version === VERSION && isManifest(rest)) return rest
  } catch {
    // Said below.
  }
  return `is damaged: ${MANIFEST} is not what a backup writes`
}

const INSTANT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$/

function isManifest({ createdAt, by, files }: Manifest): boolean {
  // It is shown on a terminal.
  if (typeof createdAt !== 'string' || !INSTANT.test(createdAt)) return false
  if (typeof by !== 'string' || !Array.isArray(files)) return false
  const names = files.map(({ name }) => name)
  return names.join() === DATA_FILE || names.join() === `${DATA_FILE},${KEY_FILE}`
}

/** What a file is made of. */
export async function fileFacts(directory: string, name: string): Promise<BackupFile> {
  return pass(directory, name, undefined)
}

/** Copies a file, for its owner alone and on the disk; says what was copied. */
export async function copyFile(from: string, to: string, name: string): Promise<BackupFile> {
  const target = join(to, name)
  const facts = await pass(from, name, target)
  const file = await open(target, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
  return facts
}

async function pass(directory: string, name: string, to: string | undefined): Promise<BackupFile> {
  const hash = createHash('sha256')
  let bytes = 0
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  const source = createReadStream(join(directory, name))
  if (to === undefined) await pipeline(source, measured, drain)
  else await pipeline(source, measured, createWriteStream(to, { flags: 'wx', mode: 0o600 }))
  return { name, bytes, sha256: hash.digest('hex') }
}

async function drain(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _chunk of chunks);
}
