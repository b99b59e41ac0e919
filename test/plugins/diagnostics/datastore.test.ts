/** The commands of the command line that look into the datastore. */
import { join } from 'node:path'
import test from 'ava'
import { Key } from 'interface-datastore'
import { Datastore } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { post } from '../../crash/support/rpc.ts'
import { commandLine } from '../../helpers/command-line.ts'
import { startDaemon } from '../../helpers/daemon.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

test('values are written as they are, or in hexadecimal, and keys are counted below a prefix', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const host = await createHost({ repo: { path: repo, init: {} }, configuration: {} })
  await host.start()
  const datastore = host.service(Datastore)!
  const text = Buffer.from('seventeen \u0000 bytes.')
  await datastore.put(new Key('/mine/a'), text)
  await datastore.put(new Key('/mine/b/c'), Buffer.of())
  await datastore.put(new Key('/mineral'), Buffer.of(1))
  await host.stop()
  const get = (...words: string[]) => commandLine(['--repo', repo, 'diag', 'datastore', 'get', ...words])
  const count = (...words: string[]) => commandLine(['--repo', repo, 'diag', 'datastore', 'count', ...words])
  t.deepEqual((await get('/mine/a')).bytes, text)
  t.is(
    (await get('--hex', '/mine/a')).out,
    '00000000  73 65 76 65 6e 74 65 65  6e 20 00 20 62 79 74 65  |seventeen . byte|\n' +
      '00000010  73 2e                                             |s.|\n'
  )
  t.is((await get('/mine/b/c')).bytes.length, 0)
  t.is((await count('/mine')).out, '2\n')
  t.is((await count('/none')).out, '0\n')
  t.true(Number((await count('/')).out) > 3)
  t.deepEqual(JSON.parse((await count('/mine/', '--enc=json')).out), { Prefix: '/mine', Count: 2 })
  const absent = await get('/mine/x')
  t.deepEqual([absent.code, absent.err.split('\n')[0]], [1, 'Error: datastore: key not found: /mine/x'])
  for (const run of [get, count]) {
    const { code, err } = await run('mine')
    t.is(code, 1)
    t.regex(err, /'mine' is no key of a datastore: it starts with a slash/)
  }
})

test('they are not there for other processes, and wait for nobody who has the repo', async t => {
  const repo = join(await temporaryFolder(t), 'repo')
  const daemon = await startDaemon(repo)
  t.teardown(() => daemon.kill())
  for (const command of ['get', 'count']) {
    await t.throwsAsync(post(daemon.url, `diag/datastore/${command}?arg=/`), { message: /404/ })
    t.regex((await commandLine(['--repo', repo, 'diag', 'datastore', command, '/'])).err, /stop that node first/)
  }
})
