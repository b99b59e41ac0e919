/**
 * Fails where a regular expression of the sources can take a time that grows faster than its text, or is made of a text and not in the list
 * below. Run by `npm run check`.
 */
import { glob, readFile } from 'node:fs/promises'
import { type Pattern, patternsIn, slowness } from './patterns.ts'

/** Files that make a regular expression of a text, how often, and why no input can make it slow. */
const MADE: Readonly<Record<string, readonly [times: number, why: string]>> = {
  'core/dag/codecs/json/encode.ts': [1, 'another one with another flag'],
  'host/printable.ts': [1, 'one set of two characters'],
  'core/contract/command-pattern.ts': [1, 'a setting, matched against names of commands'],
  'plugins/diagnostics/system.ts': [1, 'the name of a field, between digits']
}

const root = new URL('../../../', import.meta.url)
const patterns = new Map<string, Pattern>()
const problems: string[] = []
for await (const file of glob('{core,config,plugins,host}/**/*.ts', { cwd: root })) {
  const found = await patternsIn(file, await readFile(new URL(file, root), 'utf8'))
  for (const pattern of found.patterns) patterns.set(`/${pattern.source}/${pattern.flags}`, pattern)
  const known = MADE[file]?.[0] ?? 0
  if (found.made !== known) problems.push(`${file}: makes ${found.made} regular expressions of a text, and ${known} are known`)
}
for (const [text, pattern] of patterns) {
  const why = slowness(pattern)
  if (why !== undefined) problems.push(`${pattern.file}: ${text}: ${why}`)
}
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? `patterns: none of ${patterns.size} is slow` : `patterns: ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
