/** Fails when an import points up or sideways, or files import each other in a circle. Run by `npm run check`. */
import { glob, readFile } from 'node:fs/promises'
import { circle, importsOf, violation } from './rules.ts'

const root = new URL('../../../', import.meta.url)
const imports = []
for await (const file of glob('{core,config,plugins,host}/**/*.ts', { cwd: root }))
  imports.push(...importsOf(file, await readFile(new URL(file, root), 'utf8')))
const problems = imports.map(violation).filter(problem => problem !== undefined)
const round = circle(imports)
if (round !== undefined) problems.push(`a circle: ${round.join(' → ')}`)
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? `layers: ${imports.length} imports point the right way` : `layers: ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
