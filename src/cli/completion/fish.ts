import { type Candidates, type Completed, completedParameters, firstWords, secondWords } from './words.ts'

/** For fish: as ~/.config/fish/completions/sandgate.fish, or sourced. */
export function fishCompletion(completed: readonly Completed[]): string {
  const groups = secondWords(completed)
  const first = firstWords(completed).map((name) => {
    const summary = completed.find((each) => each.name === name)?.summary
    const members = groups
      .get(name)
      ?.map((each) => each.name.split(' ')[1])
      .join(', ')
    return line('__sandgate_at 0', `-a ${name}`, summary ?? members ?? 'Show what a command does')
  })
  const second = [...groups].flatMap(([group, members]) =>
    members.map(({ name, summary }) => line(`__sandgate_at 1 ${group}`, `-a ${name.split(' ')[1]}`, summary)),
  )
  return `# Completion of sandgate for fish: sandgate completion fish | source
function __sandgate_line
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    test (count $words) -gt 0; and printf '%s\\n' $words
end

function __sandgate_at
    set -l words (__sandgate_line)
    test (count $words) -eq $argv[1]; and begin
        test (count $argv) -eq 1; or test "$words[1]" = "$argv[2]"
    end
end

function __sandgate_in
    set -l words (__sandgate_line)
    for i in (seq (count $argv))
        test "$words[$i]" = "$argv[$i]"; or return 1
    end
end

function __sandgate_child
    contains -- -- (__sandgate_line)
end

complete -c sandgate -f
${line('__sandgate_at 0', '-l help -s h', 'Show the commands')}
${line('__sandgate_at 0', '-l version -s V', 'Show the version')}
${[...first, ...second, ...completed.flatMap(oneCommand)].join('\n')}
`
}

function oneCommand({ name, options, args, runsChild }: Completed): string[] {
  const here = runsChild ? `__sandgate_in ${name}; and not __sandgate_child` : `__sandgate_in ${name}`
  const lines = options.map(({ name: option, short, summary, value }) => {
    const letter = short === undefined ? '' : ` -s ${short}`
    return line(here, `-l ${option}${letter}${value ? ` -r ${act(value)}` : ''}`, summary)
  })
  const words = act(args)
  if (name === 'call') return [...lines, line('__sandgate_at 1 call', words), ...parameters()]
  if (args.kind !== 'nothing') lines.push(line(here, words))
  if (runsChild) lines.push(line(`__sandgate_in ${name}; and __sandgate_child`, '-F'))
  return lines
}

function act(candidates: Candidates): string {
  if (candidates.kind === 'words') return `-f -a ${quoted(candidates.words.join(' '))}`
  if (candidates.kind === 'nothing') return '-f'
  return candidates.kind === 'files' ? '-F' : `-f -a '(__fish_complete_directories (commandline -ct))'`
}

function parameters(): string[] {
  return completedParameters().flatMap(([id, words]) =>
    words.length === 0 ? [] : [line(`__sandgate_in call ${id}`, `-f -a ${quoted(words.join(' '))}`)],
  )
}

function line(condition: string, what: string, summary = ''): string {
  return `complete -c sandgate -n '${condition}' ${what}${summary === '' ? '' : ` -d ${quoted(summary)}`}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
