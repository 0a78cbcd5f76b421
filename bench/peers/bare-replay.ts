import { readFileSync } from 'node:fs'
import fastify from 'fastify'

/** A bare Fastify route that answers from a Map. */
const [file = '', port = ''] = process.argv.slice(2)
const answers = new Map(JSON.parse(readFileSync(file, 'utf8')) as [string, string][])
const app = fastify()
app.get('/v1/accounts/:accountId', (request, reply) => {
  const answer = answers.get(request.url)
  return answer === undefined ? reply.code(404).send() : reply.type('application/json').send(answer)
})
await app.listen({ host: '127.0.0.1', port: Number(port) })
process.on('SIGTERM', () => process.exit(0))
