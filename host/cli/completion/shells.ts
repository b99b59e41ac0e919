import type { Candidate } from './complete.ts'
import { needsNoQuotes, quotedFor, typedLine } from './shell-words.ts'

/** The question of a shell, in words of this program. */
export interface Question {
  /** The words so far, the last one as far as it was typed. */
  readonly words: readonly string[]
  /** A line of the answer; undefined for a candidate that the shell cannot be told. */
  offer(candidate: Candidate): string | undefined
}

/** A shell that asks this program what can follow on a command line; see `complete.ts`. */
export interface Shell {
  /** The key or event that makes it ask. */
  script(program: string): string
  /** @returns undefined where nothing can be offered */
  question(told: readonly string[]): Question | undefined
}

/**
 * bash inserts what it is told as it is, in place of a part of the word: of that behind the last `=` or `:`, or behind an open quote. So it is
 * told text that is quoted for that place. It tells the line and that part.
 */
const bash: Shell = {
  script: program => `_${program}() {
  builtin local program line
  COMPREPLY=()
  # nothing in the working directory is run, and no alias or function
  program=$(builtin type -P ${program}) && [[ $program == /* ]] || return 0
  while IFS= builtin read -r line; do
    [[ -z $line ]] || COMPREPLY+=("$line")
  done <<< "$("$program" __complete --shell bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)"
}
complete -o default -F _${program} ${program}
`,
  question([line = '', part = '']) {
    const { words, raw, quote } = typedLine(line)
    const before = raw.slice(0, raw.length - part.length)
    // $'…' has escapes of its own
    if (!raw.endsWith(part) || (quote !== '' && before.endsWith(`$${quote}`))) return undefined
    const cut = typedLine(before).words[0]!.length
    return { words: words.slice(1), offer: ({ value }) => quotedFor(value.slice(cut), quote) }
  }
}

/** zsh quotes what it inserts. The name and the description of a candidate are parted by a colon. */
const zsh: Shell = {
  script: program => `#compdef ${program}
_${program}() {
  local program current line
  local -a candidates
  # nothing in the working directory is run, and no alias or function
  program=$(builtin whence -p ${program}) && [[ $program == /* ]] || return 1
  current=$PREFIX
  [[ -n \${compstate[quote]} ]] || current=\${(Q)PREFIX}
  for line in "\${(@f)$("$program" __complete --shell zsh -- "\${(@Q)words[2,CURRENT-1]}" "$current" 2>/dev/null)}"; do
    [[ -z $line ]] || candidates+=("$line")
  done
  if (( \${#candidates} )); then _describe '${program}' candidates; else _files; fi
}
if [[ \${funcstack[1]-} == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`,
  question: told => ({
    words: told,
    offer: ({ value, about }) => `${value.replace(/[\\:]/g, '\\$&')}${about === '' ? '' : `:${about}`}`
  })
}

/** fish quotes what it inserts, but for a tilde at its head. */
const fish: Shell = {
  script: program => `function __${program}_complete
  # nothing in the working directory is run, and no function
  set -l program (command -s ${program})
  string match -q '/*' -- "$program"; or return
  set -l words
  if commandline -x >/dev/null 2>&1
    set words (commandline -xpc)
  else
    set words (commandline -opc)
  end
  set -e words[1]
  set -l current (string unescape -- (commandline -ct))
  set -l found ($program __complete --shell fish -- $words "$current" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${program} -f -a '(__${program}_complete)'
`,
  question: told => ({ words: told, offer: ({ value, about }) => (value.startsWith('~') ? undefined : `${value}\t${about}`) })
}

export const shells: Readonly<Record<string, Shell>> = { bash, zsh, fish }

/**
 * A shell that does not say which it is, such as one with a script of an earlier version: it is told nothing that would have to be quoted.
 *
 * @param split - whether words are split at `=`, and the part behind it is asked for
 */
export function anyShell(split: boolean): Pick<Shell, 'question'> {
  return {
    question(told) {
      const words = split ? joined(told) : told
      const cut = split && words.at(-1) !== told.at(-1) ? words.at(-1)!.indexOf('=') + 1 : 0
      return { words, offer: ({ value, about }) => (needsNoQuotes(value) ? `${value.slice(cut)}\t${about}` : undefined) }
    }
  }
}

/** `--name`, `=`, `value` as one word again. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = []
  for (const [i, word] of words.entries()) {
    if (whole.length > 0 && (word === '=' || words[i - 1] === '=') && whole.at(-1)!.startsWith('-')) whole.push(whole.pop()! + word)
    else whole.push(word)
  }
  return whole
}
