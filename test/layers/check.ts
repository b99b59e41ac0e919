/**
 * Fails when an import points up or sideways, a built-in plugin takes what no plugin of somebody else's could import, or the tree loses its
 * shape: a file too long, files that import each other in a circle. Run by `npm run check`.
 */
import { readFileSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { entrances, namesTaken, notPublic, publicNames } from './public.ts'
import { type Import, importsOf, violation } from './rules.ts'
import { inCircles, tooLong } from './shape.ts'

/** Files that nobody writes by hand, or that are the start of another project. */
const NOT_OURS = /^(host\/client\/generated|host\/cli\/plugin\/template|test\/conformance\/kit)\/|^plugins\/catalogue\.ts$/
const SOURCES = /^(core|config|plugins|host)\//

const root = new URL('../../../', import.meta.url)
const imports: Import[] = []
const pointing: Import[] = []
const taken = []
const lengths = new Map<string, number>()
for await (const file of glob('{core,config,plugins,host,test,bench}/**/*.ts', { cwd: root })) {
  const source = await readFile(new URL(file, root), 'utf8')
  const importsOfFile = importsOf(file, source)
  imports.push(...importsOfFile)
  if (!NOT_OURS.test(file)) lengths.set(file, source.split('\n').length - 1)
  if (!SOURCES.test(file)) continue
  pointing.push(...importsOfFile)
  taken.push(...namesTaken(file, source))
}
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const known = publicNames(entrances(JSON.parse(read('package.json')).exports).values(), read)
const problems = [
  ...pointing.map(violation),
  ...taken.map(one => notPublic(one, known)),
  ...tooLong(lengths),
  ...inCircles(imports)
].filter(problem => problem !== undefined)
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? `layers: ${pointing.length} imports point the right way` : `layers: ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
