import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

/**
 * Puts the library of the reference under /docs into assets/docs, packed once. It is one file that needs nothing; the
 * 128 packages that it names as dependencies were needed to build it. See docs/decisions/0051-docs-page.md.
 */
const VERSION = '9.3.8'
/** SHA-512 of the package, as the registry publishes it: whoever serves it, it is this one. */
const INTEGRITY =
  'sha512-eCYEbr1Xr8OJZvVCw8SXl9zBCRoLJbhNGuG5IZTHq/RWAOq/O4MafUCuFEyZHsrhLrlUcGZMa64pyhpib8fQKQ=='

const directory = mkdtempSync(join(tmpdir(), 'rapidoc-'))
try {
  execFileSync('npm', ['pack', '--silent', `rapidoc@${VERSION}`], { cwd: directory })
  const archive = readFileSync(join(directory, `rapidoc-${VERSION}.tgz`))
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  if (integrity !== INTEGRITY) throw new Error(`rapidoc ${VERSION} is another package: ${integrity}`)
  execFileSync('tar', ['xzf', `rapidoc-${VERSION}.tgz`], { cwd: directory })
  const read = (file) => readFileSync(join(directory, 'package', file))
  const script = read('dist/rapidoc-min.js')
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: script.length,
  }
  writeFileSync('assets/docs/rapidoc-min.js.br', brotliCompressSync(script, { params }))
  writeFileSync(
    'assets/docs/LICENSE.txt',
    `RapiDoc ${VERSION}\n\n${read('LICENSE.txt')}\n\nWhat it contains:\n\n${read('dist/rapidoc-min.js.LICENSE.txt')}`,
  )
} finally {
  rmSync(directory, { recursive: true })
}
