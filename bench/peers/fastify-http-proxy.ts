import httpProxy from '@fastify/http-proxy'
import fastify from 'fastify'

/** @fastify/http-proxy as its README shows it, and nothing else. */
const [upstream = ''] = process.argv.slice(2)
const app = fastify()
app.register(httpProxy, { upstream, disableRequestLogging: true })
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', () => process.exit(0))
