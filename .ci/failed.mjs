// Prints the compiled test files that a log of AVA names as failed, one a line: by the titles of failed tests, by exits and by time-outs.
// Arguments: the log, the folder that AVA ran, and how its files end.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

const [log, tests = 'dist/test', ending = '.test.js'] = process.argv.slice(2)
const lines = readFileSync(log, 'utf8').split('\n').map(line => line.trim())
const complaints = lines.filter(line => /^[✘✖×]|pending in/u.test(line))

for (const entry of await readdir(tests, { recursive: true, withFileTypes: true })) {
  if (!entry.name.endsWith(ending)) continue
  const path = join(entry.parentPath, entry.name)
  // AVA begins a title with the file's path
  const title = `${relative(tests, path).slice(0, -ending.length).split(sep).join(' › ')} › `
  if (complaints.some(line => line.includes(path) || line.includes(`: ${title}`))) console.log(path)
}
