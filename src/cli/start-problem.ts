import type { Config } from '../config/schema.ts'
import { StoreOpenError } from '../store/store.ts'
import { SigningKeysError } from '../tokens/key-file.ts'
import type { Exit } from './exit-codes.ts'

/** Why a gateway did not start, in a line that says what to do. */
export function startProblem(error: unknown, { listen, operator }: Config): { exit: Exit; message: string } {
  if (error instanceof StoreOpenError || error instanceof SigningKeysError)
    return { exit: 'store', message: error.message }
  const { code, syscall, port, address } = (error ?? {}) as NodeJS.ErrnoException & {
    port?: number
    address?: string
  }
  const isOperator = port === operator.port && port !== listen.port
  const flag = isOperator ? '--operator-port' : '--port'
  const setting = isOperator ? 'operator' : 'listen'
  if (code === 'EADDRINUSE') {
    const message = `${address}:${port} is already in use; stop what listens there, or choose another port with ${flag} or ${setting}.port`
    return { exit: 'address', message }
  }
  if (syscall === 'listen' || syscall === 'getaddrinfo' || syscall === 'bind') {
    const at = port === undefined ? '' : ` on port ${port}`
    return {
      exit: 'failure',
      message: `cannot listen${at} (${code}); see ${setting}.host and ${setting}.port`,
    }
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { exit: 'failure', message: `could not start: ${details}` }
}
