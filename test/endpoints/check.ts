/** Fails where an endpoint of the specification, or of a plugin, is served by no plugin or called by no test. Run by `npm run check`. */
import { shippedPlugins } from './plugins.ts'
import { endpoints, lacks } from './table.ts'

const all = [...(await endpoints(await shippedPlugins())).values()]
const problems = all.flatMap(lacks)
for (const problem of problems) console.error(problem)
console.log(problems.length === 0 ? `endpoints: ${all.length} are served and tested` : `endpoints: ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1
