import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Line, type Terminal, terminalPicture } from './terminal.ts'

/*
 * The pictures of a replay and of a miss: what the command that ships prints, run anew for every picture. All that
 * differs from run to run is the port.
 */

const CASSETTE = 'recordings/payments.har'

const PICTURES = {
  'docs/images/terminal-replay.svg': {
    title: 'a replay',
    description:
      'sandgate replay runs the tests against a cassette. Both tests pass; the line at the end says how many recorded answers were served.',
    amount: [],
  },
  'docs/images/terminal-miss.svg': {
    title: 'a miss, with its remedy',
    description:
      'A test sends an amount of 25000 where 25077 was recorded. The report names the recorded entry, the difference, and what to send.',
    amount: ['25000'],
  },
} as const

/** Every picture by its path, made by the built command. */
export async function replayPictures(): Promise<Readonly<Record<string, string>>> {
  const made: [string, string][] = []
  for (const [file, { title, description, amount }] of Object.entries(PICTURES)) {
    const lines = await session(amount)
    made.push([file, terminalPicture({ title, description, lines } satisfies Terminal)])
  }
  return Object.fromEntries(made)
}

async function session(amount: readonly string[]): Promise<readonly Line[]> {
  const directory = await mkdtemp(join(tmpdir(), 'sandgate-pictures-'))
  try {
    await mkdir(join(directory, 'recordings'))
    await copyFile('recordings/account-to-payment.har', join(directory, CASSETTE))
    await copyFile('scripts/pictures/tests-of-a-partner.mjs', join(directory, 'tests.mjs'))
    const tests = ['node', 'tests.mjs', ...amount].join(' ')
    const { code, output } = await run(
      `"${process.execPath}" "${resolve('dist/cli/main.js')}" replay ${CASSETTE} -- ${tests} 2>&1`,
      directory,
    )
    const printed = output
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8080')
      .trimEnd()
      .split('\n')
    return [
      { text: `$ sandgate replay ${CASSETTE} -- ${tests}`, look: 'prompt' },
      ...printed.map((text, index): Line => ({ text, look: lookOf(text, printed[index - 1]) })),
      { text: `$ echo $?`, look: 'prompt' },
      { text: String(code), look: 'plain' },
    ]
  } finally {
    await rm(directory, { recursive: true })
  }
}

function lookOf(text: string, before = ''): Line['look'] {
  if (/^(CASSETTE MISS|not ok| +failed:)/.test(text)) return 'bad'
  if (/^ +do:/.test(text) || /^ +do:/.test(before)) return 'remedy'
  if (/^ok /.test(text)) return 'good'
  return /^ +(unused|looked at)|^replaying/.test(text) ? 'quiet' : 'plain'
}

function run(line: string, cwd: string): Promise<{ code: number; output: string }> {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDGATE_'))
  const env = { ...Object.fromEntries(clean), XDG_CACHE_HOME: join(cwd, 'cache') }
  return new Promise((done) => {
    execFile('sh', ['-c', line], { cwd, env }, (error, output) => {
      done({ code: error === null ? 0 : Number(error.code), output })
    })
  })
}
