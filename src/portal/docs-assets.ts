import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DOCS_SCRIPT } from './docs-script.ts'
import { DOCS_ICON, DOCS_STYLE } from './docs-style.ts'

export type DocsAsset = { readonly contentType: string; readonly body: string | Buffer }

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

const OWN: Readonly<Record<string, DocsAsset>> = {
  'docs.js': { contentType: SCRIPT, body: DOCS_SCRIPT },
  'docs.css': { contentType: STYLE, body: DOCS_STYLE },
  'icon.svg': { contentType: 'image/svg+xml', body: DOCS_ICON },
}

/** The files of swagger-ui-dist that the page loads; no other can be asked for. */
const SWAGGER_UI: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': SCRIPT,
  'swagger-ui.css': STYLE,
}

const read = new Map<string, Promise<Buffer>>()

/** A file of the page by its name, or undefined. The large ones are read at their first use and kept. */
export async function readDocsAsset(file: string): Promise<DocsAsset | undefined> {
  if (Object.hasOwn(OWN, file)) return OWN[file]
  const contentType = Object.hasOwn(SWAGGER_UI, file) ? SWAGGER_UI[file] : undefined
  if (contentType === undefined) return undefined
  const body = read.get(file) ?? readFile(join(swaggerUi(), file))
  read.set(file, body)
  // A failed read is tried again at the next request.
  body.catch(() => read.delete(file))
  return { contentType, body: await body }
}

function swaggerUi(): string {
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
}
