import { readFileSync } from 'node:fs'
import type { CapturedReply, CapturedRequest } from '../../cassettes/interaction.ts'
import { headerOf } from '../../http/header-lines.ts'
import { OPERATIONS } from '../../operations/operations.ts'
import { bodyForTerminal, exitOf, headText, problemText, wholeHead } from '../answer-text.ts'
import { closestShort, FieldMistake } from '../call-fields.ts'
import { operationHelp, operationList } from '../call-help.ts'
import { callRequest, headerLine } from '../call-request.ts'
import type { Ending, HelpOn, Invocation, Io, Run } from '../command.ts'
import { printableLines, wrongUsage } from '../reporting.ts'
import { type Access, askToken, sandboxAccess } from '../sandbox-access.ts'
import { SendError } from '../sandbox-client.ts'

/** `sandgate call payments.fund --help`. */
export const helpOn: HelpOn = ([id = ''], io) => {
  const operation = OPERATIONS.find((each) => each.id === id)
  if (operation === undefined) {
    io.err(printableLines(`sandgate call: ${unknownOperation(id)}\n`))
    return 'usage'
  }
  io.out(`${operationHelp(operation)}\n`)
  return 'ok'
}

/** One call of an operation: its body on standard output, everything else on standard error. */
export const run: Run = async (invocation, io) => {
  const [id, ...rest] = invocation.args
  const { options } = invocation
  if (options.list === true) {
    io.out(`${operationList(OPERATIONS)}\n`)
    return 'ok'
  }
  if (id === undefined)
    return wrongUsage(
      invocation,
      io,
      'name an operation, such as payments.fund; sandgate call --list shows them',
    )
  const operation = OPERATIONS.find((each) => each.id === id)
  if (operation === undefined) return wrongUsage(invocation, io, unknownOperation(id))
  let request: CapturedRequest
  try {
    const lines = typeof options.header === 'string' ? options.header.split('\n') : []
    request = callRequest(operation, {
      fields: rest.filter((arg) => !arg.startsWith('@')),
      file: fileOf(rest.filter((arg) => arg.startsWith('@'))),
      headers: lines.map(headerLine),
      key: typeof options.key === 'string' ? options.key : undefined,
    })
  } catch (mistake) {
    if (!(mistake instanceof FieldMistake)) throw mistake
    const help = `; see sandgate call ${id} --help`
    return wrongUsage(invocation, io, `${mistake.message}${mistake.message.endsWith('?') ? '' : help}`)
  }
  const access = sandboxAccess(invocation, io)
  return access === undefined ? 'usage' : call(request, access, invocation, io)
}

async function call(
  request: CapturedRequest,
  access: Access,
  { options }: Invocation,
  io: Io,
): Promise<Ending> {
  const key = headerOf(request.headers, 'idempotency-key')
  const isQuiet = options.quiet === true
  const failed = (message: string, about = '') => {
    io.err(printableLines(access.masked(`sandgate call: ${message}\n${about}`)))
    return 'unavailable' as const
  }
  const authorized = await authorize(request, access)
  if (authorized instanceof SendError) return failed(authorized.message)
  if ('status' in authorized) {
    const keep = authorized.status === 429 ? 'SANDGATE_TOKEN=$(sandgate token) serves many calls.\n' : ''
    failed(
      `${authorized.status} for the token, and the call was not made`,
      `${problemText(authorized)}${keep}`,
    )
    return authorized.status === 200 ? 'unavailable' : exitOf(authorized)
  }
  // Before it is sent: whoever gets no answer sends it again with this key.
  if (key !== undefined && !isQuiet) io.err(printableLines(`Idempotency-Key: ${key}\n`))
  const reply = await access.send(authorized)
  if (reply instanceof SendError) return failed(reply.message)
  const token = headerOf(authorized.headers, 'authorization')?.split(' ').at(-1) ?? ''
  const masked = (text: string) => access.masked(token === '' ? text : text.replaceAll(token, '[secret]'))
  const ending = exitOf(reply)
  const isTerminal = process.stdout.isTTY === true
  if (options.include === true) io.out(masked(wholeHead(reply)))
  else if (!isQuiet || ending !== 'ok') io.err(masked(headText(reply)))
  if (ending !== 'ok') io.err(masked(problemText(reply)))
  // On a terminal the problem has been told in words.
  const isTold = isTerminal && ending !== 'ok' && options.include !== true
  if (!isTold) io.out(isTerminal ? bodyForTerminal(reply.body) : Buffer.from(reply.body).toString('utf8'))
  return ending
}

/** The request with a token, or the answer that came instead of one. */
async function authorize(
  request: CapturedRequest,
  access: Access,
): Promise<CapturedRequest | CapturedReply | SendError> {
  if (headerOf(request.headers, 'authorization') !== undefined) return request
  const withToken = (token: string): CapturedRequest => ({
    ...request,
    headers: [['Authorization', `Bearer ${token}`], ...request.headers],
  })
  if (access.token !== undefined) return withToken(access.token)
  if (access.credentials === undefined) return request
  const answer = await askToken(access, access.credentials)
  if (answer instanceof SendError) return answer
  return answer.token === undefined ? answer.reply : withToken(answer.token)
}

/** `@FILE`, or `@-` for standard input. @throws FieldMistake */
function fileOf(names: readonly string[]): Buffer | undefined {
  const [name, ...more] = names
  if (name === undefined) return undefined
  if (more.length > 0) throw new FieldMistake('it takes one @FILE')
  try {
    return readFileSync(name === '@-' ? 0 : name.slice(1))
  } catch (error) {
    throw new FieldMistake(`${name.slice(1)} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function unknownOperation(id: string): string {
  if (id === 'auth.token') return 'sandgate token asks for a token'
  const meant = closestShort(
    id,
    OPERATIONS.map((operation) => operation.id),
  )
  const hint = meant === undefined ? '; sandgate call --list shows them' : `; did you mean ${meant}?`
  return `there is no operation ${id.slice(0, 64)}${hint}`
}
