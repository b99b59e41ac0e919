/** Who may read what a node and the command line write, under any umask. */
import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../helpers/folder.ts'
import { launchDaemon } from '../helpers/process/daemon.ts'

const modes = process.platform === 'win32' ? test.skip : test

/** What has the umask set before the program begins. */
async function umask(t: ExecutionContext, mask: string): Promise<string[]> {
  const file = join(await temporaryFolder(t), 'umask.mjs')
  await writeFile(file, `process.umask(0o${mask})`)
  return ['--import', file]
}

/** Everything in a repo, and it, that somebody other than its owner may read, write or enter. */
async function openToOthers(repo: string): Promise<string[]> {
  const names = ['.', ...(await readdir(repo, { recursive: true }))]
  const found = await Promise.all(names.map(async name => ({ name, mode: (await stat(join(repo, name))).mode & 0o077 })))
  // RocksDB makes its files as it likes, in a folder that nobody else enters
  return found
    .filter(({ name, mode }) => mode !== 0 && !name.startsWith(join('db', '/')))
    .map(({ name, mode }) => `${name} ${mode.toString(8)}`)
}

for (const mask of ['000', '077']) {
  for (const largeBlocks of ['segments', 'files']) {
    modes(`under umask ${mask} a repo with ${largeBlocks}, its keys and the log are open to nobody else`, async t => {
      const folder = await temporaryFolder(t)
      const repo = join(folder, 'repo')
      const log = join(folder, 'node.log')
      await writeFile(join(folder, 'c.yaml'), `plugins: { storage-rocksdb: { largeBlocks: ${largeBlocks} } }\n`)
      const launched = launchDaemon(repo, {
        nodeArgs: await umask(t, mask),
        globalArgs: ['--config', join(folder, 'c.yaml')],
        args: ['--log-level', 'debug'],
        env: { GOLOG_FILE: log }
      })
      t.teardown(() => launched.kill())
      const daemon = await launched.ready
      const form = new FormData()
      form.append('file', new Blob([new Uint8Array(1 << 20)]))
      form.append('file', new Blob(['small']))
      t.is((await fetch(`${daemon.url}/api/v0/add`, { method: 'POST', body: form })).status, 200)
      const running = await readdir(repo)
      for (const name of ['config', 'api', 'repo.lock', 'db', largeBlocks === 'files' ? 'blocks' : 'segments'])
        t.true(running.includes(name), name)
      t.deepEqual(await openToOthers(repo), [])
      t.is((await stat(log)).mode & 0o077, 0)
      t.is(await daemon.stop(), 0)
      t.deepEqual(await openToOthers(repo), [])
    })
  }
}
