/**
 * Fails when an import points up or sideways, files import each other in a circle, or a built-in plugin takes what no plugin of somebody
 * else's could import. Run by `npm run check`.
 */
import { readFileSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { entrances, namesTaken, notPublic, publicNames } from './public.ts'
import { circle, importsOf, violation } from './rules.ts'

const root = new URL('../../../', import.meta.url)
const imports = []
const taken = []
for await (const file of glob('{core,config,plugins,host}/**/*.ts', { cwd: root })) {
  const source = await readFile(new URL(file, root), 'utf8')
  imports.push(...importsOf(file, source))
  taken.push(...namesTaken(file, source))
}
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const known = publicNames(entrances(JSON.parse(read('package.json')).exports).values(), read)
const problems = [...imports.map(violation), ...taken.map(one => notPublic(one, known))].filter(problem => problem !== undefined)
const round = circle(imports)
if (round !== undefined) problems.push(`a circle: ${round.join(' → ')}`)
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? `layers: ${imports.length} imports point the right way` : `layers: ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
