import { chmod, mkdir, readdir, readFile, readlink, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { commandLine } from '../../helpers/process/command-line.ts'

/** A command line that has the old commands, on a new repo, with programs of its own in front of the path. */
async function program(t: Parameters<typeof temporaryFolder>[0]) {
  const cwd = await temporaryFolder(t)
  const repo = join(cwd, 'repo')
  const config = join(cwd, 'older.json')
  const bin = join(cwd, 'bin')
  await mkdir(bin)
  await writeFile(config, JSON.stringify({ plugins: { older: 'on' } }), { mode: 0o600 })
  const path = process.env['PATH']
  process.env['PATH'] = bin + delimiter + path
  t.teardown(() => {
    process.env['PATH'] = path
  })
  const run = (words: string[], editor = '') => {
    process.env['EDITOR'] = editor
    return commandLine(['--config', config, '--repo', repo, ...words], { cwd })
  }
  const script = async (name: string, text: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
    await chmod(join(bin, name), 0o755)
  }
  const { code, err } = await run(['init'])
  t.is(code, 0, err)
  return { repo, run, script }
}

test.serial('the configuration is edited in a copy, which takes its place when it can be read, and is kept when it cannot', async t => {
  const { repo, run, script } = await program(t)
  const file = join(repo, 'config')
  const shown = async () => JSON.parse(await readFile(file, 'utf8'))
  await script('good', 'sed -i "s/\\"StorageMax\\": \\"[^\\"]*\\"/\\"StorageMax\\": \\"7GB\\"/" "$1"')
  await script('bad', 'echo "{ broken" > "$1"')
  await script('left', 'echo "{}" > "$1"; exit 3')
  t.is((await run(['config', 'edit'], 'good')).code, 0)
  t.is((await shown()).Datastore.StorageMax, '7GB')
  t.is((await stat(file)).mode & 0o777, 0o600)
  const before = await readFile(file, 'utf8')
  const elsewhere = join(repo, '..', 'settings.json')
  await rename(file, elsewhere)
  await symlink(elsewhere, file)
  t.is((await run(['config', 'edit'], 'good')).code, 0)
  t.is(await readlink(file), elsewhere, 'a symlink stays one')
  const left = await run(['config', 'edit'], 'left')
  t.regex(left.err, /the editor ended with status 3/)
  const absent = await run(['config', 'edit'])
  t.true(absent.err.includes('ENV variable $EDITOR not set'), absent.err)
  t.deepEqual(
    (await readdir(repo)).filter(name => name.startsWith('config-edit')),
    []
  )
  const bad = await run(['config', 'edit'], 'bad')
  t.is(bad.code, 1)
  t.is(await readFile(file, 'utf8'), before)
  const [kept] = (await readdir(repo)).filter(name => name.startsWith('config-edit'))
  t.is(await readFile(join(repo, kept!), 'utf8'), '{ broken\n')
  t.true(bad.err.includes(kept!), bad.err)
})

test.serial('the external program is run with its arguments where it is there, and told of where it is not', async t => {
  const { run, script } = await program(t)
  const absent = await run(['update', 'versions'])
  t.is(absent.code, 1)
  t.true(absent.err.includes('ipfs-update not installed'), absent.err)
  await script('ipfs-update', 'echo "said $1"; echo "and $2" >&2; test -z "$3" || exit "$3"')
  t.is((await run(['update', 'one', 'two'])).out, 'said one\nand two\n')
  const failed = await run(['update', 'one', 'two', '4'])
  t.is(failed.code, 1)
  t.true(failed.err.includes('ipfs-update ended with status 4'), failed.err)
})
