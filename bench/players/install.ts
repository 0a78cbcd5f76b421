import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../process.ts'

const PEERS = join(ROOT, 'bench/peers')

export const MODULES = join(PEERS, 'node_modules')

/** On first use only, and beside the project: whoever does not compare needs none of it. */
export function installPeers(): void {
  if (existsSync(join(MODULES, '.package-lock.json'))) return
  console.error('Installing what replay is compared with (npm ci in bench/peers, 140 MB, once) ...')
  try {
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: PEERS, stdio: ['ignore', 2, 2] })
  } catch {
    console.error('It could not be installed; replay is compared with a bare Fastify alone.')
  }
}

/** Why a peer cannot be measured, if so. */
export function notInstalled(name: string): string | undefined {
  return existsSync(join(MODULES, name))
    ? undefined
    : 'is not installed: npm ci --ignore-scripts in bench/peers'
}
