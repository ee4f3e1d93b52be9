import type { Command } from 'commander'

/** The commands that the shell script `cliffhanger` runs as separate programs. */
const otherPrograms = ['migrate', 'config']

/**
 * Returns a Bash script that completes the commands, options and choices of a program. The script contains all words,
 * so a completion does not start Node.
 */
export function completionScript(program: Command): string {
  const name = program.name()
  const lists = wordLists(program)
  lists.get('')?.unshift(...otherPrograms)
  const cases = [...lists].map(([path, words]) => `    '${path}') echo '${words.join(' ')}' ;;`)
  return `_${name}_words() {
  case "$1" in
${cases.join('\n')}
  esac
}
_${name}() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path='' words each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    # A word that names no subcommand is an option, the value of an option, or an argument.
    [[ "$each" != -* && -n "$(_${name}_words "$path $each")" ]] && path="$path $each"
  done
  words="$(_${name}_words "$path \${COMP_WORDS[COMP_CWORD - 1]}")"
  COMPREPLY=($(compgen -W "\${words:-$(_${name}_words "$path")}" -- "$word"))
}
complete -o default -F _${name} ${name}
`
}

/**
 * Returns the words that may follow each command, and each option with choices. A key is the command line so far,
 * with a space before each word.
 */
function wordLists(command: Command, path = ''): Map<string, string[]> {
  const subcommands = command.commands
  const options = command.createHelp().visibleOptions(command)
  return new Map([
    [
      path,
      [
        ...subcommands.map((each) => each.name()),
        ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
        ...options.flatMap(({ long }) => long ?? []),
      ],
    ],
    ...options.flatMap(({ long, argChoices }): [string, string[]][] =>
      long && argChoices ? [[`${path} ${long}`, argChoices]] : [],
    ),
    ...subcommands.flatMap((each) => [...wordLists(each, `${path} ${each.name()}`)]),
  ])
}
