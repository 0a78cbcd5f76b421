import { type ExecFileException, execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** A program that has run to its end, whatever that was. */
export type Ran = { readonly code: number; readonly output: string }

/** A project of a partner: an empty directory with the packed package in it, installed as its guide says. */
export type PartnerProject = {
  readonly directory: string
  readonly tarball: string
  /** Runs a program there; throws when it fails. Returns its standard output. */
  readonly run: (command: string, ...args: string[]) => string
  /**
   * Runs a line of a shell there, as `npm test` would: with the project's programs on the PATH, and Debian's Python. What
   * npx is asked for is started at once, without the time that npx itself takes.
   */
  readonly shell: (line: string, env?: Readonly<Record<string, string>>) => Promise<Ran>
  /** Writes a file. */
  readonly write: (name: string, text: string) => void
  /** Takes over a package from another directory of node_modules, with its programs. */
  readonly link: (name: string, from: string) => void
  readonly remove: () => void
}

/** `npx --no -- PROGRAM ARGS` runs the program of the project, and none that would have to be fetched. */
const NPX = `#!/bin/sh
[ "$1 $2" = '--no --' ] && [ -x "node_modules/.bin/$3" ] || exit 64
shift 2
exec "$@"
`

export function partnerProject(): PartnerProject {
  const directory = mkdtempSync(join(tmpdir(), 'sandgate-pack-'))
  const modules = join(directory, 'node_modules')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // Without its scripts: what was built before the tests is what is packed, and other tests go on running it.
  execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory])
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  write('package.json', '{ "name": "partner", "private": true }')
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? ''
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--prefer-offline']
  run('npm', 'install', ...quietly, `./${tarball}`)
  write('.stand-ins/npx', NPX)
  chmodSync(join(directory, '.stand-ins/npx'), 0o755)
  mkdirSync(join(directory, 'recordings'))
  cpSync(join(modules, 'sandgate/recordings'), join(directory, 'recordings'), { recursive: true })
  return {
    directory,
    tarball: join(directory, tarball),
    run,
    write,
    shell: (line, env = {}) =>
      new Promise((done) => {
        const PATH = `${join(directory, '.stand-ins')}:/usr/bin:${join(modules, '.bin')}:${process.env.PATH}`
        const options = { cwd: directory, env: { ...process.env, PATH, ...env }, encoding: 'utf8' } as const
        execFile('sh', ['-c', line], options, (error: ExecFileException | null, out, err) =>
          done({ code: error === null ? 0 : Number(error.code ?? 1), output: out + err }),
        )
      }),
    link: (name, from) => {
      symlinkSync(resolve(from, name), join(modules, name))
      for (const program of readdirSync(resolve(from, '.bin')))
        if (program === basename(name))
          symlinkSync(resolve(from, '.bin', program), join(modules, '.bin', program))
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}
