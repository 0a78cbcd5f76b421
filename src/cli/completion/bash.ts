import { type Candidates, type Completed, completedParameters, firstWords, secondWords } from './words.ts'

/**
 * For bash from 3.2 on, which is what macOS has, and without the package bash-completion. The line is divided anew at
 * spaces, because bash divides words at `=` and `:` too.
 */
export function bashCompletion(completed: readonly Completed[]): string {
  const groups = [...secondWords(completed)]
  return `# Completion of sandgate for bash: source <(sandgate completion bash)
_sandgate_words() {
  local word
  for word in $1; do
    case $word in "$cur"*) COMPREPLY+=("\${word#"$cut"}") ;; esac
  done
}

_sandgate_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$2")
}

_sandgate() {
  local cur prev command rest cut='' i
  local -a line
  COMPREPLY=()
  read -ra line <<<"\${COMP_LINE:0:COMP_POINT} x"
  i=$((\${#line[@]} - 1))
  case "\${COMP_LINE:0:COMP_POINT}" in *' ' | *$'\\t') cur='' ;; *) i=$((i - 1)) cur=\${line[i]} ;; esac
  line=("\${line[@]:0:i}")
  prev=\${line[i - 1]}
  # bash puts what is chosen behind the last = or : of the word.
  case $COMP_WORDBREAKS in *=*) case $cur in *=*) cut="\${cur%=*}=" ;; esac ;; esac
  if [ "\${line[1]}" = help ]; then line=("\${line[0]}" "\${line[@]:2}") i=$((i - 1)); fi
  case "\${line[1]} \${line[2]}" in
${completed
  .filter(({ name }) => name.includes(' '))
  .map(({ name }) => `    '${name}') command='${name}' rest=3 ;;`)
  .join('\n')}
    *) command=\${line[1]} rest=2 ;;
  esac
  if [ "$i" -lt 2 ]; then
    _sandgate_words '${firstWords(completed).join(' ')} --help --version'
    return
  fi
  if [ "$rest" -gt "$i" ]; then rest=$i; fi
  case $command in
${groups
  .map(
    ([group, members]) =>
      `    ${group}) if [ "$i" -eq 2 ]; then _sandgate_words '${members.map(({ name }) => name.split(' ')[1]).join(' ')} --help'; fi ;;`,
  )
  .join('\n')}
${completed.map(oneCommand).join('\n')}
  esac
}

complete -F _sandgate sandgate
`
}

function oneCommand({ name, options, args, runsChild }: Completed): string {
  const valued = options.flatMap((option) => (option.value ? [[option.name, option.value] as const] : []))
  const after = valued.map(([option, value]) => `        --${option}) ${act(value)} return ;;`)
  const inline = valued.map(
    ([option, value]) => `        --${option}=*) ${act(value, `--${option}=`)} return ;;`,
  )
  const names = options.map((option) => `--${option.name}`).join(' ')
  const words = [
    ...(runsChild
      ? [
          `      for ((n = rest; n < i; n++)); do if [ "\${line[n]}" = -- ]; then _sandgate_paths -f "$cur"; return; fi; done`,
        ]
      : []),
    ...(after.length > 0 ? [`      case $prev in\n${after.join('\n')}\n      esac`] : []),
    ...(inline.length > 0 ? [`      case $cur in\n${inline.join('\n')}\n      esac`] : []),
    `      case $cur in -*) _sandgate_words '${names}'; return ;; esac`,
    ...(name === 'call' ? [parameters()] : []),
    `      ${act(args)}`,
  ]
  return `    '${name}')\n${runsChild ? '      local n\n' : ''}${words.join('\n')}\n      ;;`
}

function act(candidates: Candidates, before = ''): string {
  if (candidates.kind === 'words')
    return `_sandgate_words '${candidates.words.map((word) => `${before}${word}`).join(' ')}';`
  if (candidates.kind === 'nothing') return ':;'
  return `_sandgate_paths ${candidates.kind === 'files' ? '-f' : '-d'} "\${cur#${before}}";`
}

/** Behind the operation its parameters; a value is for who types it. */
function parameters(): string {
  const rows = completedParameters().map(
    ([id, words]) =>
      `        ${id}) compopt -o nospace 2>/dev/null; _sandgate_words '${words.join(' ')}'; return ;;`,
  )
  return `      case $cur in @*) _sandgate_paths -f "\${cur#@}"; return ;; esac
      case \${line[2]} in
${rows.join('\n')}
      esac`
}
