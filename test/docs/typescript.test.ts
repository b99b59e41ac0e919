/** The TypeScript of the README and of the pages: it compiles with the settings that the guide gives, and whole plugins are what a host takes. */
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import test from 'ava'
import { type Project, packedProject, root } from '../helpers/process/packed.ts'

interface Example {
  readonly file: string
  readonly text: string
  readonly line: number
}

let project: Project
let settings: string
test.before(async () => {
  project = await packedProject()
  await writeFile(join(project.folder, 'package.json'), '{ "type": "module" }')
  const guide = await readFile(join(root, 'docs', 'plugins.md'), 'utf8')
  settings = /^```json\n(\/\/ tsconfig\.json\n[\s\S]*?)^```$/m.exec(guide)![1]!
})
test.after.always(() => project?.remove())

/** The blocks of TypeScript of a page, under the names that their first lines give them, else by their lines. */
async function examplesOf(page: string): Promise<Example[]> {
  const text = await readFile(join(root, page), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: block = '', index }) => {
    const line = text.slice(0, index).split('\n').length
    return { file: /^\/\/ (\S+\.ts)\n/.exec(block)?.[1] ?? `line${line}.ts`, text: block, line }
  })
}

/** A folder with the settings and with files in it. */
async function folderWith(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(project.folder, name)
  await mkdir(folder)
  await writeFile(join(folder, 'tsconfig.json'), settings)
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
  return folder
}

/** The pages that a person wrote: what is generated shows types, no programs. */
async function pages(): Promise<string[]> {
  const found = ['README.md']
  for await (const page of glob('docs/*.md', { cwd: root })) if (basename(page) !== 'services.md') found.push(page)
  return found
}

test('every example compiles, and every whole plugin is one that a host takes', async t => {
  /** The file of each, by its text. */
  const whole = new Map<string, string>()
  let examples = 0
  for (const page of await pages()) {
    // what a page shows of a file later takes its place: each state of the folder is checked
    const states: Array<Record<string, string>> = [{ 'hello.ts': await readFile(join(root, 'examples', 'hello.ts'), 'utf8') }]
    for (const { file, text } of (await examplesOf(page)).filter(one => !one.text.includes("'kubo-rpc-client'"))) {
      examples++
      const last = states.at(-1)!
      if (last[file] !== undefined && file !== 'hello.ts') states.push({ ...last, [file]: text })
      else last[file] = text
    }
    for (const [i, files] of states.entries()) {
      const folder = await folderWith(`${basename(page, '.md')}-${i}`, files)
      t.is(await project.run('tsc', [], folder), '', page)
      for (const [file, text] of Object.entries(files)) if (/^export default plugin\(/m.test(text)) whole.set(text, join(folder, file))
    }
  }
  t.true(examples > 11)
  t.true(whole.size > 8)
  for (const [text, file] of whole) {
    const said = await project.run(process.execPath, [project.holdfast, 'plugin', 'check', file]).catch(error => (error as Error).message)
    // what wraps a service of another example has nothing inside when it is looked at alone
    if (/\binner\(/.test(text)) t.regex(said, /\nnobody else provides the service 'acme-visits'.*\n$/)
    else t.is(said, 'Nothing a host would refuse.\n', file)
  }
})

for (const [what, code, wrong] of [
  [
    'a mistake with what comes of Node itself',
    2339,
    "import { route } from 'holdfast'\nexport const r = route({ listener: 'rpc', method: 'GET', path: '/x', help: 'X.', handle: (_, __, response) => response.nonsense() })"
  ],
  ['a type that is imported as a value', 1484, "import { Startable } from 'holdfast'\nexport const s: Startable = {}"],
  ['an enum', 1294, 'export enum Colour { Red }'],
  ['a parameter property', 1294, 'export class A { constructor(readonly x: number) {} }'],
  [
    'a reply of another shape',
    2322,
    "import { command, value } from 'holdfast'\nimport { z } from 'zod'\nexport const c = command.read('x', { help: 'X.', reply: value(z.object({ A: z.string() })), run: () => ({ A: 1 }) })"
  ],
  ['an import that is not there', 2307, "import { x } from './missing.ts'\nexport const y = x"]
] as const) {
  test(`the settings of the guide, and those of a new package, catch ${what}`, async t => {
    const folder = await folderWith(`wrong-${code}-${what.length}`, { 'wrong.ts': wrong })
    const { message } = await t.throwsAsync(project.run('tsc', [], folder))
    t.true(message.includes(`error TS${code}`), message)
    const template = await readFile(join(root, 'host', 'cli', 'plugin', 'template', '_tsconfig.json'), 'utf8')
    await writeFile(join(folder, 'tsconfig.json'), template.replace('["src", "test"]', '["wrong.ts"]'))
    const again = await t.throwsAsync(project.run('tsc', ['--noEmit'], folder))
    t.true(again.message.includes(`error TS${code}`), again.message)
  })
}
