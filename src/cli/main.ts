#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'
import { exitCode } from './exit-codes.ts'

// `sandgate openapi | head` ends when head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`sandgate: cannot write to standard output (${error.code})\n`)
  process.exit(exitCode('failure'))
})

const ended = runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
})
ended.then((exit) => {
  // Not process.exit(): output that waits in a pipe would be lost.
  process.exitCode = exitCode(exit)
})
