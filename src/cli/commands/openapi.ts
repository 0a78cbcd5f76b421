import { FORMATS } from '../../config/formats.ts'
import { buildOpenApi } from '../../operations/openapi.ts'
import type { Run } from '../command.ts'

export const run: Run = async ({ options }, io) => {
  const { 'public-url': publicUrl = 'http://127.0.0.1:8080' } = options
  const problem = FORMATS['http-origin']?.(String(publicUrl))
  if (problem !== undefined) {
    io.err(`sandgate openapi: --public-url ${problem}\n`)
    return 'usage'
  }
  io.out(`${JSON.stringify(buildOpenApi({ publicUrl: String(publicUrl) }), null, 2)}\n`)
  return 'ok'
}
