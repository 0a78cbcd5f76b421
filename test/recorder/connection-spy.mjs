import { appendFileSync } from 'node:fs'
import { Socket } from 'node:net'

/** Preloaded into a program: writes down every connection that it begins, whatever begins it. */
if (process.argv.includes(process.env.CONNECTION_PROGRAM ?? '')) {
  const connect = Socket.prototype.connect
  Socket.prototype.connect = function (...args) {
    appendFileSync(process.env.CONNECTION_LOG ?? '', `${JSON.stringify(args[0])}\n`)
    return connect.apply(this, args)
  }
}
