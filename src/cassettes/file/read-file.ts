import { existsSync, readFileSync } from 'node:fs'
import { systemCode } from '../../system-error.ts'
import { CassetteError } from '../cassette-error.ts'
import { cassettePaths } from './paths.ts'

/** The bytes of a cassette's file. @throws CassetteError `missing` or `unreadable`. */
export function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const code = systemCode(cause) ?? String(cause)
    if (code === 'EISDIR')
      throw new CassetteError('unreadable', path, 'is a directory, not a file.', {}, { cause })
    if (code !== 'ENOENT')
      throw new CassetteError('unreadable', path, `cannot be read (${code}).`, {}, { cause })
    const { journal } = cassettePaths(path)
    const hint =
      journal !== path && existsSync(journal)
        ? ` There is a recording that was not finished: ${journal}.`
        : ''
    throw new CassetteError('missing', path, `does not exist.${hint}`, {}, { cause })
  }
}
