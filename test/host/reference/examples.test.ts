import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import type { Command } from '../../../core/index.ts'
import { repoOf } from '../../../host/host.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { testHost } from '../../../host/testing.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { parseExample, upload, words } from './example.ts'

const folder = fileURLToPath(new URL('../../../../test/host/reference', import.meta.url))

/** Where the examples find it. */
const SITE = 'QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'

/** A node that has been given the folder `site`. */
async function node(
  t: ExecutionContext
): Promise<{ commands: readonly Command[]; post(path: string, query: URLSearchParams, body?: FormData): Promise<Response> }> {
  const host = await testHost()
  const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  const url = `http://127.0.0.1:${rpc.addresses[0]!.split('/').at(-1)}/api/v0`
  const post = (path: string, query: URLSearchParams, body?: FormData) => fetch(`${url}/${path}?${query}`, { method: 'POST', body })
  const added = await (await post('add', new URLSearchParams(), await upload(folder, ['site']))).text()
  t.regex(added, new RegExp(`"Name":"site","Hash":"${SITE}"`))
  return { commands: host.commands(), post }
}

const plugins = await Promise.all(catalogue.map(async ({ load }) => (await load()).default))
const commands = plugins.flatMap(plugin => plugin.commands)

for (const { path, examples } of commands.filter(command => command.examples.length > 0)) {
  test(`the examples of ${path} do what they say`, async t => {
    const { commands: served, post } = await node(t)
    for (const { title, args } of examples) {
      t.regex(title, /^[A-Z].*[^.]$/, 'a heading')
      const { command, query, files } = parseExample(args, served)
      t.is(command.path, path, args)
      const body = command.body === undefined ? undefined : await upload(folder, files)
      const response = await post(command.path, new URLSearchParams(query.map(([name, value]) => [name, value] as [string, string])), body)
      const answer = await response.text()
      t.is(response.status, 200, `${args}: ${answer}`)
    }
  })
}

test('an example that names no option of its command is found out', t => {
  t.throws(() => parseExample('pin add --nope=1 x', commands), { message: /pin\/add has no option nope/ })
  t.throws(() => parseExample('nope', commands), { message: /no command begins/ })
  t.deepEqual(words(`dag put "a b" --x='c d' e`), ['dag', 'put', 'a b', '--x=c d', 'e'])
})

test('most commands that are served bring an example', t => {
  const without = commands.filter(({ local, examples, status }) => !local && status === 'regular' && examples.length === 0)
  t.true(without.length < commands.length / 2, without.map(({ path }) => path).join(', '))
})
