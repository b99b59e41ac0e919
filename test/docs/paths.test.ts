/** What the pages for contributors name is there. */
import { access, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { root } from '../helpers/process/packed.ts'

for (const page of ['docs/architecture.md', 'CONTRIBUTING.md']) {
  test(`every file, script and page that ${page} names is there`, async t => {
    const text = await readFile(join(root, page), 'utf8')
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    const files = [...text.matchAll(/`((?:\.ci|bench|config|core|examples|host|plugins|test)\/[\w./-]+)`/g)].map(([, path]) =>
      join(root, path!)
    )
    const pages = [...text.matchAll(/\]\((?!https:)([^)#]+)/g)].map(([, path]) => join(root, dirname(page), path!))
    for (const path of [...files, ...pages]) await t.notThrowsAsync(access(path), path)
    for (const [, script] of text.matchAll(/npm run ([\w:]+)/g)) t.true(script! in scripts, script)
    t.true(files.length > (page === 'docs/architecture.md' ? 30 : 1))
  })
}
