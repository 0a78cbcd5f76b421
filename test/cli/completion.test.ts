import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { sandgate } from '../support/command.ts'
import { temporaryDirectory } from '../support/gateway.ts'

const execute = promisify(execFile)
const SHELLS = ['bash', 'zsh', 'fish'] as const
let directory = ''

beforeAll(async () => {
  directory = temporaryDirectory('completion')
  for (const shell of SHELLS) {
    const { code, out } = await sandgate(directory, ['completion', shell])
    expect(code).toBe(0)
    writeFileSync(join(directory, `sandgate.${shell}`), out)
  }
  mkdirSync(join(directory, 'desk', 'some folder'), { recursive: true })
  writeFileSync(join(directory, 'desk', 'a b.har'), '')
})

/** What a shell offers for each of these lines, with the completion loaded and nothing else of the user's. */
const OFFER: Readonly<Record<(typeof SHELLS)[number], (lines: readonly string[]) => Promise<string[][]>>> = {
  bash: (lines) =>
    offered('bash', [
      '--norc',
      '-c',
      `source ../sandgate.bash
for COMP_LINE in "$@"; do
  COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _sandgate 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}" ---
done`,
      'bash',
      ...lines,
    ]),
  fish: (lines) =>
    offered('fish', [
      '--no-config',
      '-c',
      `source ../sandgate.fish; for line in $argv; complete -C $line | string split -f1 \\t; echo ---; end`,
      '--',
      ...lines,
    ]),
  // A line editor of its own on a pseudo-terminal, whose matches are written down instead of shown. What waits for them
  // starts no program: that would be most of what this takes.
  zsh: (lines) =>
    offered('zsh', [
      '-f',
      '-c',
      `zmodload zsh/zpty zsh/zselect
zpty z zsh -f -i
zpty -w z 'PS1= PS2= RPS1=; unsetopt prompt_cr prompt_sp; autoload -Uz compinit && compinit -u -D; source ../sandgate.zsh'
zpty -w z 'compadd() { local -a __m; builtin compadd -A __m -O __m "$@" 2>/dev/null; print -rl -- "$__m[@]" >> ../zsh.out; builtin compadd "$@" }'
zpty -w z 'finish() { print -r -- --- >> ../zsh.out; zle kill-buffer }; zle -N finish; bindkey "^X" finish; bindkey "^I" list-choices; print ready > ../zsh.ready'
until [[ -s ../zsh.ready ]]; do zselect -t 5; done
: > ../zsh.out
integer n=0
for line in "$@"; do
  zpty -n -w z "$line"$'\\t'$'\\x18'
  n+=1
  until seen=(\${(M)\${(f)"$(<../zsh.out)"}:#---}); (( $#seen == n )); do zpty -r -t z _ 2>/dev/null; zselect -t 2; done
done
zpty -d z
cat ../zsh.out`,
      'zsh',
      ...lines,
    ]),
}

async function offered(shell: string, args: readonly string[]): Promise<string[][]> {
  const env = { PATH: process.env.PATH, HOME: directory, TERM: 'dumb', LC_ALL: 'C.UTF-8' }
  const { stdout } = await execute(shell, args, { cwd: join(directory, 'desk'), env })
  return stdout
    .split('---\n')
    .slice(0, -1)
    .map((part) => part.split('\n').filter((line) => line !== ''))
}

const CASES: readonly (readonly [line: string, has: readonly string[], hasNot: readonly string[]])[] = [
  ['sandgate ', ['serve', 'cassette', 'call', 'help'], ['show', 'cassette show']],
  ['sandgate ca', ['cassette', 'call'], ['serve']],
  ['sandgate cassette ', ['show', 'verify'], ['serve', 'rotate']],
  ['sandgate cassette show --', ['--entry', '--help'], ['--port']],
  ['sandgate help cassette li', ['lint'], ['list']],
  ['sandgate serve --store ', ['embedded', 'memory'], ['--port']],
  ['sandgate serve --config ./x --sto', ['--store'], ['--port']],
  ['sandgate completion ', ['bash', 'zsh', 'fish'], ['serve']],
  ['sandgate call payments.', ['payments.fund', 'payments.cashout'], ['score.read']],
  ['sandgate call payments.fund a', ['amount=', 'accountId='], ['payments.fund', 'currency=']],
  ['sandgate call payments.fund amount=1 met', ['metadata.'], ['amount=']],
  ['sandgate frobnicate ', [], ['serve', 'amount=']],
]

describe.each(SHELLS)('completion in %s', (shell) => {
  it('offers commands, options, values, operations and their parameters, and nothing else', async () => {
    const found = await OFFER[shell](CASES.map(([line]) => line))
    expect(found).toHaveLength(CASES.length)
    for (const [i, [line, has, hasNot]] of CASES.entries()) {
      expect(found[i], line).toEqual(expect.arrayContaining([...has]))
      for (const word of hasNot) expect(found[i], line).not.toContain(word)
    }
  })

  it.skipIf(shell === 'zsh')('offers the files that are here, with spaces in their names', async () => {
    const [files, child] = await OFFER[shell](['sandgate cassette show a', 'sandgate replay x.har -- a'])
    expect(files?.join()).toContain('a b.har')
    expect(child?.join()).toContain('a b.har')
    expect(child?.join()).not.toContain('--port')
  })
})

it('values behind an equals sign are offered where bash puts them', async () => {
  expect(await OFFER.bash(['sandgate serve --store=em'])).toEqual([['embedded']])
  expect(await OFFER.fish(['sandgate serve --store=em'])).toEqual([['--store=embedded']])
})
