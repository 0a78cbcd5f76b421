import { fchmodSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { replaceFileSync } from '../replace-file.ts'

export type NewKey = { readonly id: string; readonly sha256: string; readonly scopes?: readonly string[] }

/** Adds a key to a partner; everything else in the file stays, comments included. */
export function addKey(file: string, partnerId: string, key: NewKey): void {
  edit(file, (document, partners) => {
    const partner = partners.find((one) => one.get('id') === partnerId)
    if (!partner) throw new Error(`${file} has no partner ${partnerId}`)
    const keys = partner.get('keys')
    const node = document.createNode(key)
    const scopes = node.get('scopes')
    if (isSeq(scopes)) scopes.flow = true
    if (isSeq(keys)) keys.add(node)
    else partner.set('keys', document.createNode([node]))
  })
}

/** Marks a key as revoked. The entry stays, so that nobody can use its id again by accident. */
export function revokeKey(file: string, keyId: string): void {
  edit(file, (_document, partners) => {
    const keys = partners.flatMap((partner) => {
      const list = partner.get('keys')
      return isSeq(list) ? list.items.filter(isMap) : []
    })
    const key = keys.find((one) => one.get('id') === keyId)
    if (!key) throw new Error(`${file} has no key ${keyId}`)
    key.set('revoked', true)
  })
}

function edit(file: string, change: (document: Document, partners: YAMLMap[]) => void): void {
  const text = readFileSync(file, 'utf8')
  const document = parseDocument(text, { stringKeys: true })
  // The partners are a file of their own, or a section of the configuration.
  const list = isMap(document.contents) ? document.contents.get('partners') : document.contents
  if (!isSeq(list)) throw new Error(`${file} does not list partners`)
  change(
    document,
    (list.items as unknown[]).filter((item) => isMap(item)),
  )
  replace(file, document.toString({ lineWidth: 0, flowCollectionPadding: /[[{] \S/.test(text) }))
}

/** Follows a symbolic link, and keeps the mode of the file. */
function replace(file: string, text: string): void {
  const target = realpathSync(file)
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
