import fastify from 'fastify'
import { SIMULATION } from './simulation.ts'

/** A bare Fastify: one GET route with the same body, one POST route that parses JSON and answers a payment. */
const app = fastify()
app.get('/v1/credit/simulate', () => SIMULATION)
app.post('/v1/payments/fund', (request) => {
  const { amount } = request.body as { amount: number }
  return {
    paymentId: 'pay_8DwSLGXT671Js2hRULauaZ-dI',
    direction: 'fund',
    amount,
    currency: 'XOF',
    outcome: 'success',
    code: null,
    decidedAt: new Date().toISOString(),
  }
})
console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
process.on('SIGTERM', () => process.exit(0))
