import { exitOf, problemText } from '../answer-text.ts'
import type { Run } from '../command.ts'
import { listOf } from '../parse.ts'
import { printableLines, wrongUsage } from '../reporting.ts'
import { askToken, sandboxAccess } from '../sandbox-access.ts'
import { SendError } from '../sandbox-client.ts'

/** Prints a token, so that `$(sandgate token)` is one. */
export const run: Run = async (invocation, io) => {
  const access = sandboxAccess(invocation, io)
  if (access === undefined) return 'usage'
  const { credentials, masked } = access
  if (credentials === undefined)
    return wrongUsage(invocation, io, 'set SANDGATE_CLIENT_ID and SANDGATE_CLIENT_SECRET')
  const answer = await askToken(access, credentials, listOf(invocation.options.scopes))
  if (answer instanceof SendError) {
    io.err(printableLines(`sandgate token: ${masked(answer.message)}\n`))
    return 'unavailable'
  }
  const { reply, token } = answer
  if (token === undefined) {
    io.err(printableLines(`sandgate token: ${reply.status}, and no token\n${masked(problemText(reply))}`))
    return reply.status === 200 ? 'unavailable' : exitOf(reply)
  }
  io.out(
    invocation.options.json === true ? `${Buffer.from(reply.body).toString('utf8').trim()}\n` : `${token}\n`,
  )
  return 'ok'
}
