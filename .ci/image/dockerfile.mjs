// The part of the language of Dockerfiles that this project's own needs.

/** Instructions in order: `{ name, flags, words, text }`; words are those of the JSON form where it is used. */
export function instructionsOf(source) {
  const lines = source
    .replace(/^\s*#.*$\n?/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  return lines.map(line => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [undefined, line, '']
    const flags = {}
    const text = rest.replace(/--([a-z-]+)=(\S+)\s*/g, (all, flag, value, at) => {
      // those of a command belong to it
      if (rest.slice(0, at).replace(/--[a-z-]+=\S+\s*/g, '') !== '') return all
      flags[flag] = value
      return ''
    })
    return { name, flags, text, words: wordsOf(text.replace(/^CMD\s+/, '')) }
  })
}

/** Stages in order: `{ name, base, steps }`. */
export function stagesOf(source) {
  const stages = []
  for (const step of instructionsOf(source)) {
    if (step.name === 'FROM') stages.push({ base: step.words[0], name: step.words[2], steps: [] })
    else stages.at(-1).steps.push(step)
  }
  return stages
}

function wordsOf(text) {
  return text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/)
}
