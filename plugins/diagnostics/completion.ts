import { isPrintable } from '../../core/go/quote.ts'
import { type Command, globalOptions, namesOf, type Parameters } from '../../core/index.ts'

/** The words that can follow a command's path on a command line: the next words, and options with their dashes. */
export interface CompletionPlace {
  /** `pin remote`; empty for the program alone. */
  readonly path: string
  readonly words: ReadonlyArray<{ readonly word: string; readonly help: string }>
  readonly options: readonly string[]
}

/** Every place of a command line and what can follow there. */
export function placesOf(commands: readonly Command[]): CompletionPlace[] {
  const places = new Map<string, { words: Map<string, string>; options: string[] }>()
  const at = (path: string) => {
    const found = places.get(path) ?? { words: new Map<string, string>(), options: [] }
    places.set(path, found)
    return found
  }
  at('').options.push(...dashed(globalOptions))
  for (const { path, options, help } of commands) {
    const words = path.split('/')
    words.forEach((word, i) => {
      const group = at(words.slice(0, i).join(' '))
      if (i === words.length - 1) group.words.set(word, help)
      else if (!group.words.has(word)) group.words.set(word, '')
    })
    at(words.join(' ')).options.push(...dashed(options))
  }
  return [...places].map(([path, { words, options }]) => ({ path, options, words: [...words].map(([word, help]) => ({ word, help })) }))
}

/** Names of options that a shell reads as themselves: a plugin may call one anything, and they become a part of a script. */
function dashed(options: Parameters): string[] {
  const names = Object.entries(options).flatMap(([declared, { spec }]) => namesOf(declared, spec))
  return names.filter(name => /^\w[\w-]*$/.test(name)).map(name => (name.length > 1 ? `--${name}` : `-${name}`))
}

/**
 * A function for bash. It looks for the longest part of the line that is a command, so that arguments do not disturb it, and offers
 * what can follow there, or files where nothing does.
 */
export function bashCompletion(program: string, places: readonly CompletionPlace[]): string {
  const cases = places.map(
    ({ path, words, options }) => `      '${path}') words='${words.map(({ word }) => word).join(' ')}'; options='${options.join(' ')}' ;;`
  )
  return `_${program}() {
  local IFS=$' \\n' current="\${COMP_WORDS[COMP_CWORD]}" path='' word words options
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="$path\${path:+ }$word" ;; esac
  done
  while :; do
    words='-' options=''
    case "$path" in
${cases.join('\n')}
    esac
    [ "$words" = '-' ] || break
    case "$path" in *' '*) path="\${path% *}" ;; *) path='' ;; esac
  done
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _${program} ${program}
`
}

/** zsh takes functions for bash. */
export function zshCompletion(program: string, places: readonly CompletionPlace[]): string {
  return `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bashCompletion(program, places)}`
}

export function fishCompletion(program: string, places: readonly CompletionPlace[]): string {
  const shown = (text: string) => [...text].map(char => (isPrintable(char) ? char : ' ')).join('')
  const quoted = (text: string) => `'${shown(text).replace(/['\\]/g, '\\$&')}'`
  const lines = places.flatMap(({ path, words, options }) => {
    const here = `complete -c ${program} -n ${quoted(`__${program}_at ${path}`.trim())}`
    return [
      ...words.map(({ word, help }) => `${here} -f -a ${quoted(word)}${help === '' ? '' : ` -d ${quoted(help)}`}`),
      ...options.map(option => `${here} ${option.startsWith('--') ? '-l' : '-s'} ${option.replace(/^-+/, '')}`)
    ]
  })
  return `function __${program}_at
  set -l words (string match -v -- '-*' (commandline -opc))[2..-1]
  test "$words" = "$argv"
end
${lines.join('\n')}
`
}
