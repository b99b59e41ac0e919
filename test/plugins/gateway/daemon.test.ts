import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { launchDaemon, startDaemon } from '../../helpers/process/daemon.ts'
import { send } from './world.ts'

test('a daemon serves content on several addresses, a socket among them, and on the port of the RPC where it is told to', async t => {
  const folder = await temporaryFolder(t)
  const repo = join(folder, 'repo')
  const first = await startDaemon(repo, ['--unrestricted-api'])
  t.teardown(() => first.kill())
  const line = /Gateway server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)\n/.exec(first.output())
  t.truthy(line, first.output())
  t.is(await readFile(join(repo, 'gateway'), 'utf8'), `http://127.0.0.1:${line![1]}`)
  t.is((await send(Number(line![1]), { path: '/ipfs/bafkqac3imvwgy3zao5xxe3de' })).text, 'hello world')
  const rpc = Number(new URL(first.url).port)
  t.is((await send(rpc, { path: '/net/bafkqac3imvwgy3zao5xxe3de' })).text, 'hello world')
  t.is(await first.stop(), 0)
  await t.throwsAsync(readFile(join(repo, 'gateway')), { code: 'ENOENT' })

  const config = JSON.parse(await readFile(join(repo, 'config'), 'utf8'))
  const socketPath = join(folder, 'g.sock')
  config.Addresses.Gateway = ['/ip4/127.0.0.1/tcp/0', `/unix${socketPath}`]
  config.Addresses.API = '/ip4/127.0.0.1/tcp/0'
  await writeFile(join(repo, 'config'), JSON.stringify(config))
  const second = await launchDaemon(repo, { hasGateway: true }).ready
  t.teardown(() => second.kill())
  t.true(second.output().includes(`Gateway server listening on /unix${socketPath}\n`), second.output())
  const outgoing = request({ socketPath, path: '/ipfs/bafkqac3imvwgy3zao5xxe3de', headers: { host: '127.0.0.1' } })
  outgoing.end()
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
  let text = ''
  for await (const piece of response) text += piece
  t.is(text, 'hello world')
  const restricted = Number(new URL(second.url).port)
  t.is((await send(restricted, { path: '/ipfs/bafkqaaa' })).text, '404 page not found\n')
  t.true(second.output().includes(`WebUI: http://127.0.0.1:${restricted}/webui\n`), second.output())
  // of content the WebUI alone, which is not stored here
  const { headers } = await send(restricted, { path: '/webui/' })
  const webui = await send(restricted, { path: `${headers.location}/` })
  t.regex(webui.text, /^failed to resolve \/ipfs\/bafybei\w+\/: block was not found locally/)
  t.is(await second.stop(), 0)
})
