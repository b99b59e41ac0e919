/** What makes a shell ask this program what can follow on a command line; see `complete.ts`. */
export const shells: Readonly<Record<string, (program: string) => string>> = { bash, zsh, fish }

/** bash takes `--name=value` apart at the sign, so the program is told and answers the part behind it. */
function bash(program: string): string {
  return `_${program}() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete --split -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _${program} ${program}
`
}

function zsh(program: string): string {
  return `#compdef ${program}
_${program}() {
  local line value
  local -a candidates
  for line in "\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n "$line" ]] || continue
    value="\${line%%$'\\t'*}"
    candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#candidates} )); then _describe '${program}' candidates; else _files; fi
}
compdef _${program} ${program}
`
}

function fish(program: string): string {
  return `function __${program}_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] __complete -- $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c ${program} -f -a '(__${program}_complete)'
`
}
