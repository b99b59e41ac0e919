import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { build } from 'esbuild'
import { repoOf } from '../../../host/create.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { testHost } from '../../../host/testing.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

test('the program at the head of docs/clients.md does what it says', async t => {
  const host = await testHost()
  const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  const text = await readFile(`${root}docs/clients.md`, 'utf8')
  const [, program] = /```ts\n([\s\S]*?)```/.exec(text)!
  const url = `http://127.0.0.1:${rpc.addresses[0]!.split('/').at(-1)}`
  const contents = `${program!.replace('http://127.0.0.1:5001', url)}\nexport { Version, root }\n`
  const { outputFiles } = await build({
    stdin: { contents: contents.replaceAll('process.stdout.write', 'globalThis.printed.push'), resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false
  })
  const printed: Uint8Array[] = []
  Object.assign(globalThis, { printed })
  const ran = (await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`)) as Record<
    string,
    string
  >
  t.is(ran['Version'], '0.28.0')
  t.is(Buffer.concat(printed).toString(), '<h1>hello</h1>')
  t.like(await host.call('pin/ls', { options: { names: true } }), {
    Keys: { [ran['root']!]: { Name: 'site', Type: 'recursive' } }
  })
})
