/** The code of an error of the system (`ENOENT`, `EADDRINUSE`); undefined for anything else that was thrown. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
