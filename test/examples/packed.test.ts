/** The examples as their authors would build and test them, and as others would use them. */
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { launchDaemon } from '../helpers/process/daemon.ts'
import { packedProject, root } from '../helpers/process/packed.ts'

const EXAMPLES = ['audit-log', 'chat', 'encrypted-blocks', 'http-hello', 'rate-limit', 'stats-content']

test('the examples build, pass their tests, and run together as packages', async t => {
  const project = await packedProject()
  t.teardown(() => project.remove())
  const folders = await Promise.all(EXAMPLES.map(name => project.copy(join(root, 'examples', name), name)))
  await Promise.all(folders.map(folder => project.run('tsc', ['-p', '.'], folder)))
  const tests = folders.map(folder => join(folder, 'dist', 'test', 'index.test.js'))
  t.regex(await project.run(process.execPath, ['--test', '--test-reporter=tap', ...tests]), /^# fail 0$/m)
  await project.install(...folders)
  for (const folder of folders)
    t.regex(await project.run(process.execPath, [project.holdfast, 'plugin', 'check', folder]), /^Nothing a host would refuse/)

  const repo = join(project.folder, 'repo')
  await mkdir(repo)
  await writeFile(join(repo, 'blocks.key'), randomBytes(32).toString('base64'))
  await writeFile(
    join(project.folder, 'holdfast.config.yaml'),
    `plugins:\n  audit-log: on\n  encrypted-blocks: on\n  http-hello: { port: 0 }\n  stats-content: on\nservices:\n  blockstore: [encrypted-blocks, storage-rocksdb]\n`
  )
  const launched = launchDaemon(repo, { bin: project.holdfast })
  t.teardown(() => launched.kill())
  const daemon = await launched.ready
  const ask = async (path: string, body?: FormData) => {
    const answer = await fetch(`${daemon.url}/api/v0/${path}`, { method: 'POST', body })
    t.is(answer.status, 200, path)
    return answer.text()
  }
  const form = new FormData()
  form.append('file', new Blob(['the plain text of a secret']))
  const { Hash } = JSON.parse(await ask('add?raw-leaves=true', form)) as { Hash: string }
  t.is(await ask(`cat?arg=${Hash}`), 'the plain text of a secret')
  t.deepEqual(JSON.parse(await ask(`stats/content?arg=${Hash}`)), { Codec: 'raw', Depth: 0, Blocks: 1, Bytes: 26 })
  const url = /Listener 'http-hello' of plugin 'http-hello' listening on (\S+)/.exec(daemon.output())![1]
  t.is(await (await fetch(`${url}/hello/Ada`)).text(), 'hello, Ada\n')
  t.is(await daemon.stop(), 0)

  const lines = (await readFile(join(repo, 'audit.log'), 'utf8'))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.deepEqual(
    lines.map(({ command, result }) => [command, result]),
    [
      ['add', 'ok'],
      ['cat', 'ok'],
      ['stats/content', 'ok']
    ]
  )
  const files = (await readdir(repo, { recursive: true, withFileTypes: true })).filter(entry => entry.isFile())
  for (const { parentPath, name } of files)
    if (name !== 'audit.log') t.false((await readFile(join(parentPath, name))).includes('the plain text of a secret'), name)
})
