import { types } from 'node:util'

/** The code of an error of the system (`ENOENT`, `EADDRINUSE`); undefined for anything else that was thrown. */
export function systemCode(error: unknown): string | undefined {
  return isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Also an error of Node's own where a test runner has given this code globals of its own, and so another `Error`. */
export function isError(error: unknown): error is Error {
  return types.isNativeError(error)
}
