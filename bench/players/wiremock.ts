import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../recorded.ts'
import { MODULES, notInstalled } from './install.ts'
import type { Player } from './player.ts'

const BUILD = join(MODULES, 'wiremock/build')

/** A mapping is a file of its own with the body in it: as WireMock's recorder writes it. */
export const wiremock: Player = {
  name: 'WireMock',
  role: 'peer',
  missing: () => notInstalled('wiremock') ?? (hasJava() ? undefined : 'java is not installed'),
  prepare: ({ answers }, directory) => {
    const root = join(directory, 'wiremock')
    mkdirSync(join(root, 'mappings'), { recursive: true })
    mkdirSync(join(root, '__files'))
    for (const [n, answer] of answers.entries()) {
      writeFileSync(join(root, 'mappings', `${n}.json`), JSON.stringify(mapping(answer)))
    }
    const jar = readdirSync(BUILD).find((name) => name.endsWith('.jar')) ?? ''
    return (port) => [
      ...['java', '-Xmx4g', '-jar', join(BUILD, jar), '--port', String(port), '--bind-address', '127.0.0.1'],
      ...['--root-dir', root, '--no-request-journal', '--disable-banner', '--disable-request-logging'],
    ]
  },
}

function mapping({ path, headers, body }: Answer) {
  return {
    request: { url: path, method: 'GET' },
    response: { status: 200, body, headers: Object.fromEntries(headers) },
  }
}

function hasJava(): boolean {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
