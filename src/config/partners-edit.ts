import { fchmodSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { LockHeld, waitForLock } from '../file-lock.ts'
import { replaceFileSync } from '../replace-file.ts'
import { systemCode } from '../system-error.ts'
import { displayName } from './yaml-file.ts'

export type NewKey = { readonly id: string; readonly sha256: string; readonly scopes?: readonly string[] }

/** `message` is a whole sentence; nothing has been changed then. */
export type Edited = { readonly ok: true } | { readonly ok: false; readonly message: string }

/** Adds a key to a partner; everything else in the file stays, comments included. */
export function addKey(file: string, partnerId: string, key: NewKey): Promise<Edited> {
  return edit(file, {
    apply: (document, partners) => {
      const partner = partners.find((one) => one.get('id') === partnerId)
      if (!partner) return `there is no partner ${partnerId} in it any more`
      const keys = partner.get('keys')
      const node = document.createNode(key)
      const scopes = node.get('scopes')
      if (isSeq(scopes)) scopes.flow = true
      if (isSeq(keys)) {
        if (keys.items.length === 0) keys.flow = false
        keys.add(node)
      } else if (keys === undefined || keys === null) partner.set('keys', document.createNode([node]))
      else return `the keys of ${partnerId} are written in another place of it; add this one by hand`
      return undefined
    },
    holds: (partners) => keysOf(partners).some((one) => one.get('sha256') === key.sha256),
  })
}

/** Marks a key as revoked. The entry stays, so that nobody can use its id again by accident. */
export function revokeKey(file: string, keyId: string): Promise<Edited> {
  return edit(file, {
    apply: (_document, partners) => {
      const key = keysOf(partners).find((one) => one.get('id') === keyId)
      if (!key) return `there is no key ${keyId} in it any more`
      key.set('revoked', true)
      return undefined
    },
    holds: (partners) =>
      keysOf(partners).some((one) => one.get('id') === keyId && one.get('revoked') === true),
  })
}

/** How long others may take who edit the same file by this program. */
const PATIENCE_MS = 60_000

/** How often somebody else may save the file in the moment in which it is edited. */
const TRIES = 20

/** An editor that has begun to save is done by then. */
const SAVED_MS = 100

type Change = {
  /** Changes the document, or says in half a sentence why it cannot. */
  readonly apply: (document: Document, partners: readonly YAMLMap[]) => string | undefined
  /** Whether a file says what the change wanted it to say. */
  readonly holds: (partners: readonly YAMLMap[]) => boolean
}

/**
 * Editing by this program is one at a time, by a lock beside the file. An editor knows nothing of it, so what was read
 * is compared with what is there before it is replaced, and what is there afterwards is read: success is what the file
 * says and not what was written.
 */
async function edit(file: string, change: Change): Promise<Edited> {
  const name = displayName(file)
  try {
    // The file itself and not a link to it: that is what is replaced, and everybody meets at one lock.
    const target = realpathSync(file)
    const release = await waitForLock(join(dirname(target), `.${basename(target)}.lock`), PATIENCE_MS)
    try {
      return await editLocked(name, target, change)
    } finally {
      release()
    }
  } catch (cause) {
    const why =
      cause instanceof LockHeld ? `${cause.holder} is editing it` : (systemCode(cause) ?? String(cause))
    return { ok: false, message: `${name} cannot be written (${why}); nothing was changed` }
  }
}

async function editLocked(name: string, target: string, { apply, holds }: Change): Promise<Edited> {
  let told: string | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await new Promise((next) => setTimeout(next, SAVED_MS))
    const before = readFileSync(target, 'utf8')
    const { document, partners } = read(before)
    const old = write(document, before)
    const problem = partners === undefined ? 'it does not list partners any more' : apply(document, partners)
    if (problem !== undefined) {
      // An editor may just be saving it, and half of the file be there.
      if (told === before) return { ok: false, message: `${name} is not changed: ${problem}` }
      told = before
      continue
    }
    const after = render(document, old, before)
    if (readFileSync(target, 'utf8') !== before) continue
    replace(target, after)
    const now = readFileSync(target, 'utf8')
    if (now === after || holds(read(now).partners ?? [])) return { ok: true }
  }
  return { ok: false, message: `${name} is being saved by another program again and again; try it later` }
}

/** The partners are a file of their own, or a section of the configuration. */
function read(text: string): { document: Document; partners: readonly YAMLMap[] | undefined } {
  // The parser keeps a carriage return as a part of the comment before it.
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const document = parseDocument(plain, { stringKeys: true })
  const list = isMap(document.contents) ? document.contents.get('partners') : document.contents
  const partners =
    isSeq(list) && document.errors.length === 0 ? list.items.filter((item) => isMap(item)) : undefined
  return { document, partners }
}

/** A document as the parser writes it, in the manner of the file. */
function write(document: Document, before: string): readonly string[] {
  const flowCollectionPadding = /[[{] \S/.test(before)
  return document.toString({ lineWidth: 0, flowCollectionPadding }).split('\n')
}

/**
 * The text with nothing new but the lines of the change. The parser writes a whole document in its own manner: `old`
 * is how it writes what was there, and only where that differs from what it writes now are lines taken from it.
 */
function render(document: Document, old: readonly string[], before: string): string {
  const now = write(document, before)
  const shortest = Math.min(old.length, now.length)
  let head = 0
  while (head < shortest && old[head] === now[head]) head++
  let tail = 0
  while (tail < shortest - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++

  const lines = before.split('\n')
  const windows = lines.filter((line) => line.endsWith('\r')).length > lines.length / 2
  const end = windows ? '\r' : ''
  if (lines.at(-1) !== '') lines.push(`${lines.pop()}${end}`, '')
  const at = placesOf(lines, old)
  const added = now.slice(head, now.length - tail).map((line) => line + end)
  const spliced = [
    ...lines.slice(0, at?.[head] ?? 0),
    ...added,
    ...lines.slice(at?.[old.length - tail] ?? lines.length),
  ].join('\n')
  // Another indentation than the parser's, or lines that it joins: then the whole document is written anew.
  const says = (text: string) => isDeepStrictEqual(read(text).document.toJS(), document.toJS())
  return at !== undefined && says(spliced) ? spliced : now.join(`${end}\n`)
}

/**
 * Where in the file each line stands that the parser writes, which makes one blank line of several; undefined when
 * they are not the same lines.
 */
function placesOf(lines: readonly string[], written: readonly string[]): number[] | undefined {
  const isBlank = (line: string | undefined) => line?.trim() === ''
  let next = 0
  const places = written.map((line) => {
    if (!isBlank(line)) while (isBlank(lines[next])) next++
    const place = next
    if (isBlank(line) === isBlank(lines[next])) next++
    return place
  })
  return lines.slice(next).every(isBlank) ? [...places, lines.length] : undefined
}

function keysOf(partners: readonly YAMLMap[]): YAMLMap[] {
  return partners.flatMap((partner) => {
    const list = partner.get('keys')
    return isSeq(list) ? list.items.filter(isMap) : []
  })
}

/** Keeps the mode of the file. */
function replace(target: string, text: string): void {
  const { mode } = statSync(target)
  replaceFileSync(
    target,
    (fd) => {
      writeFileSync(fd, text)
      // What a new file is made with depends on the umask as well.
      fchmodSync(fd, mode & 0o777)
    },
    0o600,
  )
}
