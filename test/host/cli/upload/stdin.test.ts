/** Standard input that cannot be read. */
import { spawn } from 'node:child_process'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { commandLine } from '../../../helpers/process/command-line.ts'
import { bin, startDaemon } from '../../../helpers/process/daemon.ts'
import { outcomeOf } from '../../../helpers/process/outcome.ts'
import { userFolders } from '../../../helpers/process/user-folders.ts'

/** Commands that take their input from there, each in the ways of saying so. */
const reading = [
  ['files', 'write', '-t', '/x'],
  ['files', 'write', '-t', '/x', '-'],
  ['add'],
  ['add', '-'],
  ['add', '-n'],
  ['block', 'put'],
  ['dag', 'put'],
  ['dag', 'import'],
  ['name', 'put', 'k51qzi5uqu5dh9ihj4p2v5sl3hxvv27ryx2w0xrsv6jmmqi91t9xp8p9kaipc2'],
  ['config', 'replace'],
  ['key', 'import', 'mine'],
  ['cat'],
  ['pin', 'add'],
  ['cid', 'base32']
]

for (const where of ['alone', 'beside a daemon'])
  test(`a folder as standard input is refused by each command that reads it, ${where}, and nothing is changed`, async t => {
    const folder = await temporaryFolder(t)
    const repo = join(folder, 'repo')
    const run = async (path: string, flags: string, ...words: string[]) => {
      const input = await open(path, flags)
      try {
        const env = { ...process.env, ...userFolders, HOLDFAST_OFFLINE: '1' }
        return await outcomeOf(spawn(process.execPath, [bin, '--repo', repo, ...words], { stdio: [input.fd, 'pipe', 'pipe'], env }))
      } finally {
        await input.close()
      }
    }
    const file = join(folder, 'file')
    await writeFile(file, 'content')
    if (where === 'alone') t.is((await run(file, 'r', 'init')).code, 0)
    else {
      const daemon = await startDaemon(repo)
      t.teardown(() => daemon.kill())
    }
    t.is((await run(file, 'r', 'files', 'write', '-e', '/x')).code, 0)
    for (const words of reading)
      t.like(await run(folder, 'r', ...words), { code: 1, out: '', err: 'Error: read /dev/stdin: is a directory\n' }, words.join(' '))
    for (const words of reading.slice(0, 4)) {
      const { code, err } = await run(file, 'a', ...words)
      t.is(code, 1, words.join(' '))
      t.regex(err, /^Error: .*read \/dev\/stdin: .*bad file descriptor/, words.join(' '))
    }
    t.is((await run(folder, 'r', 'files', 'read', '/x')).out, 'content')
    t.is((await run(folder, 'r', 'version', '-n')).code, 0)
  })

test('a name for standard input that no entry can have is refused', async t => {
  const folder = await temporaryFolder(t)
  for (const name of ['..', '.', '', 'a/b', '/']) {
    const { code, err } = await commandLine(['--repo', join(folder, 'repo'), 'add', '-n', '-w', `--stdin-name=${name}`], { stdin: 'x' })
    t.is(code, 2, name)
    t.regex(err, /^Error: --stdin-name '.*': an entry of a folder cannot have that name/)
  }
})
