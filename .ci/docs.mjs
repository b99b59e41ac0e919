// Writes what is generated from the declarations, and removes pages of groups that are gone. Needs a build.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { referenceFiles } from '../dist/host/reference/files.js'
import { withExceptions } from '../dist/test/conformance/exceptions.js'
import { endpointsPage } from '../dist/test/endpoints/page.js'
import { shippedPlugins } from '../dist/test/endpoints/plugins.js'

const root = fileURLToPath(new URL('../', import.meta.url))
const files = await referenceFiles()
for (const [path, text] of files) {
  await mkdir(dirname(root + path), { recursive: true })
  await writeFile(root + path, text)
}
for (const folder of new Set([...files.keys()].map(dirname))) {
  if (folder === 'docs' || folder === 'plugins') continue
  for (const name of await readdir(root + folder)) if (!files.has(`${folder}/${name}`)) await rm(`${root}${folder}/${name}`)
}
const page = `${root}docs/compatibility.md`
const exceptions = JSON.parse(await readFile(`${root}test/conformance/exceptions.json`, 'utf8'))
await writeFile(page, withExceptions(await readFile(page, 'utf8'), exceptions))
await writeFile(`${root}docs/endpoints.md`, await endpointsPage(await shippedPlugins()))
console.log(`${files.size + 2} files`)
