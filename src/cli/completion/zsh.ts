import { type Candidates, type Completed, completedParameters, firstWords, secondWords } from './words.ts'

/** For zsh: as a file named _sandgate of fpath, or sourced. */
export function zshCompletion(completed: readonly Completed[]): string {
  const groups = [...secondWords(completed)]
  const first = firstWords(completed).map((name) => `${name}:${about(name, completed)}`)
  return `#compdef sandgate
# Completion of sandgate for zsh: source <(sandgate completion zsh), after compinit.
_sandgate() {
  local command prev=\${words[CURRENT-1]} cur=\${words[CURRENT]}
  local -a line choices
  line=("\${(@)words[2,CURRENT-1]}")
  if [[ \${line[1]} == help ]]; then shift line; fi
  if (( \${#line} == 0 )); then
    choices=(${first.map(quoted).join(' ')} '--help:Show the commands' '--version:Show the version')
    _describe -t commands command choices
    return
  fi
  case "\${line[1]} \${line[2]}" in
${completed
  .filter(({ name }) => name.includes(' '))
  .map(({ name }) => `    ${quoted(name)}) command=${quoted(name)} ;;`)
  .join('\n')}
    *) command=\${line[1]} ;;
  esac
  case $command in
${groups
  .map(
    ([group, members]) => `    ${group})
      if (( \${#line} == 1 )); then
        choices=(${members.map(({ name, summary }) => described(name.split(' ')[1] ?? '', summary)).join(' ')})
        _describe -t commands command choices
      fi
      ;;`,
  )
  .join('\n')}
${completed.map(oneCommand).join('\n')}
  esac
}

if [[ \${funcstack[1]} == _sandgate ]]; then _sandgate "$@"; else compdef _sandgate sandgate; fi
`
}

function about(name: string, completed: readonly Completed[]): string {
  if (name === 'help') return 'Show what a command does'
  const command = completed.find((each) => each.name === name)
  if (command) return command.summary
  const members = completed.flatMap((each) => {
    const [group, second] = each.name.split(' ')
    return group === name && second ? [second] : []
  })
  return members.join(', ')
}

function oneCommand({ name, options, args, runsChild }: Completed): string {
  const valued = options.flatMap((option) => (option.value ? [[option.name, option.value] as const] : []))
  const lines = [
    ...(runsChild ? [`      if (( \${line[(Ie)--]} )); then _files; return; fi`] : []),
    ...(valued.length > 0
      ? [
          `      case $prev in\n${valued.map(([option, value]) => `        --${option}) ${act(value)}; return ;;`).join('\n')}\n      esac`,
          `      case $cur in\n${valued.map(([option, value]) => `        --${option}=*) compset -P '*='; ${act(value)}; return ;;`).join('\n')}\n      esac`,
        ]
      : []),
    `      if [[ $cur == -* ]]; then
        choices=(${options.map((option) => described(`--${option.name}`, option.summary)).join(' ')})
        _describe -o -t options option choices
        return
      fi`,
    ...(name === 'call' ? [parameters()] : []),
    `      ${act(args)}`,
  ]
  return `    ${quoted(name)})\n${lines.join('\n')}\n      ;;`
}

function act(candidates: Candidates): string {
  if (candidates.kind === 'words') return `compadd -- ${candidates.words.join(' ')}`
  if (candidates.kind === 'nothing') return '_message value'
  return candidates.kind === 'files' ? '_files' : '_files -/'
}

function parameters(): string {
  const rows = completedParameters().map(
    ([id, words]) =>
      `        ${id}) ${words.length > 0 ? `compadd -S '' -- ${words.join(' ')}` : ':'}; return ;;`,
  )
  return `      if [[ $cur == @* ]]; then compset -P @; _files; return; fi
      case \${line[2]} in
${rows.join('\n')}
      esac`
}

function described(word: string, summary: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${summary}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
