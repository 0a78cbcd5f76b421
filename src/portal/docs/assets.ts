import { readFile } from 'node:fs/promises'
import { getOrMake } from '../../map-entries.ts'
import { packageRoot } from '../../product.ts'
import { createRepresentation, type Representation } from '../representation.ts'
import { DOCS_SCRIPT } from './docs-script.ts'

const SCRIPT = 'text/javascript; charset=utf-8'

/** The files that the page loads, by their base names. The library's is packed (scripts/vendor-rapidoc.mjs). */
const FILES = {
  rapidoc: () => readFile(new URL('assets/docs/rapidoc-min.js.br', packageRoot())).then(packed),
  docs: async () =>
    createRepresentation({ contentType: SCRIPT, bytes: Buffer.from(DOCS_SCRIPT), isPacked: false }),
} as const satisfies Record<string, () => Promise<Representation>>

type FileName = keyof typeof FILES

function packed(bytes: Buffer): Representation {
  return createRepresentation({ contentType: SCRIPT, bytes, isPacked: true })
}

const read = new Map<FileName, Promise<Representation>>()

function load(name: FileName): Promise<Representation> {
  const loading = getOrMake<FileName, Promise<Representation>>(read, name, FILES[name])
  // A failed read is tried again at the next request.
  loading.catch(() => read.delete(name))
  return loading
}

/** `rapidoc.3q2+7w….js`: another name for other content, so that it can be kept for ever. */
export async function assetName(name: FileName): Promise<string> {
  return `${name}.${(await load(name)).digest}.js`
}

/** A file by the name that the page gives it; undefined for every other name. */
export async function readAsset(file: string): Promise<Representation | undefined> {
  for (const name of ['docs', 'rapidoc'] as const)
    if (file.startsWith(`${name}.`) && file === (await assetName(name))) return load(name)
  return undefined
}
