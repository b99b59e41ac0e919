/** What a stranger who has installed the package may import, and what else lies in it. */
import { glob, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { type Project, packedProject, root } from '../helpers/process/packed.ts'

let project: Project
test.before(async () => {
  project = await packedProject()
  await writeFile(join(project.folder, 'package.json'), '{ "type": "module" }')
})
test.after.always(() => project?.remove())

const at = (path: string) => join(project.folder, 'node_modules', 'holdfast', path)
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false
  )
const CHECKS = ['--noEmit', '--strict', '--module', 'nodenext', '--types', 'node', '--skipLibCheck']

/** A file in which every entrance is imported. */
async function everyEntrance(): Promise<{ readonly specifiers: string[]; readonly source: string }> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { exports: Record<string, unknown> }
  const specifiers = Object.keys(exports)
    .filter(path => !path.endsWith('.json'))
    .map(path => `holdfast${path.slice(1)}`)
  const source = specifiers.map((specifier, i) => `import * as i${i} from '${specifier}'\nconsole.log(typeof i${i})\n`).join('')
  return { specifiers, source }
}

test('every entrance is there, with its types, and hands on what the host itself uses', async t => {
  const { specifiers, source } = await everyEntrance()
  t.true(specifiers.length > 10)
  const guide = await readFile(at('docs/plugins.md'), 'utf8')
  for (const specifier of specifiers) t.true(guide.includes(`| \`${specifier}\``) || guide.includes(`, \`${specifier}\` |`), specifier)
  await writeFile(join(project.folder, 'all.ts'), source)
  await project.run('tsc', [...CHECKS, 'all.ts'])
  t.is(await project.run(process.execPath, ['--no-warnings', 'all.ts']), 'object\n'.repeat(specifiers.length))
  const same =
    "import { fastBlocks } from 'holdfast'\nimport * as blocks from 'holdfast/blocks'\nconsole.log(blocks.fastBlocks === fastBlocks)"
  t.is(await project.run(process.execPath, ['--input-type=module', '-e', same]), 'true\n')
})

test('what is not public is refused by its name, when it runs and when it is compiled', async t => {
  for (const inner of ['core/cid/parse.js', 'dist/core/index.js', 'plugins/pins/store/store.ts', 'cid/parse']) {
    const code = `await import('holdfast/${inner}').catch(error => console.log(error.code, error.message))`
    const said = await project.run(process.execPath, ['--input-type=module', '-e', code])
    t.regex(said, /^ERR_PACKAGE_PATH_NOT_EXPORTED /)
    t.true(said.includes(`'./${inner}'`), said)
    await writeFile(join(project.folder, 'deep.ts'), `import * as deep from 'holdfast/${inner}'\nconsole.log(deep)\n`)
    const { message } = await t.throwsAsync(project.run('tsc', [...CHECKS, 'deep.ts']))
    t.regex(message, /deep\.ts.*error TS2307: Cannot find module/)
  }
})

test('the links of every page lead to something in the package', async t => {
  const dead = []
  let looked = 0
  for await (const page of glob('{*.md,docs/**/*.md,examples/**/*.md}', { cwd: at('') })) {
    for (const [, link] of (await readFile(at(page), 'utf8')).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      if (/^[a-z]+:/.test(link!)) continue
      looked++
      if (!(await exists(join(dirname(at(page)), link!)))) dead.push(`${page}: ${link}`)
    }
  }
  t.deepEqual(dead, [])
  t.true(looked > 100)
})

test('the sources of every source map are there, and a stack shows them', async t => {
  const missing = []
  let looked = 0
  for await (const file of glob('dist/**/*.map', { cwd: at('') })) {
    const { sources } = JSON.parse(await readFile(at(file), 'utf8')) as { sources: string[] }
    for (const source of sources) {
      looked++
      if (!(await exists(join(dirname(at(file)), source)))) missing.push(`${file}: ${source}`)
    }
  }
  t.deepEqual(missing, [])
  t.true(looked > 300)
  const code = "import { parseCid } from 'holdfast/cid'\ntry { parseCid('nonsense') } catch (error) { console.log(error.stack) }"
  const stack = await project.run(process.execPath, ['--enable-source-maps', '--input-type=module', '-e', code])
  const [, file, line] = /at invalid .*?(\/[^:]*core\/cid\/parse\.ts):(\d+):/.exec(stack) ?? []
  t.regex((await readFile(file!, 'utf8')).split('\n')[Number(line) - 1]!, /E_CID_INVALID/)
})
