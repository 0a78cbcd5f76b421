#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import type { Io } from './command.ts'
import { COMMANDS } from './commands.ts'
import { EXIT_CODES, type Exit } from './exit-codes.ts'
import { parseCommandLine } from './parse.ts'

const io: Io = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
}

// `sandgate openapi | head` ends when head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

async function main(): Promise<Exit> {
  const parsed = parseCommandLine(process.argv.slice(2), COMMANDS)
  switch (parsed.kind) {
    case 'help':
      io.out(`${parsed.text}\n`)
      return 'ok'
    case 'version':
      io.out(`${version()}\n`)
      return 'ok'
    case 'wrong':
      io.err(`${parsed.message}\n`)
      return 'usage'
    case 'run': {
      const { run } = await parsed.invocation.command.load()
      return run(parsed.invocation, io)
    }
  }
}

/** dist/cli/main.js and src/cli/main.ts are both two levels below package.json. */
function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return String((JSON.parse(text) as { version: unknown }).version)
}

// Not process.exit(): output that waits in a pipe would be lost.
process.exitCode = EXIT_CODES[await main()].code
