import test from 'ava'
import hello from '../../../examples/hello.ts'
import { outlines } from '../../../host/client/generated/outlines.ts'
import { outlineOf } from '../../../host/client/outline.ts'
import type { CommandWith } from '../../../host/client/types.ts'
import { repoOf } from '../../../host/create.ts'
import { clientFiles } from '../../../host/reference/client-types.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { testHost } from '../../../host/testing.ts'
import { declaredPlugins, third } from '../../helpers/declared.ts'
import { type AnyClient, ways } from './node.ts'

/** Calls a command with as little as it takes. @returns the code of the error, if there was one */
async function tried(client: AnyClient, path: string, args: number, body: boolean): Promise<string | undefined> {
  const controller = new AbortController()
  try {
    const answer = await client.callAny(path, {
      args: Array.from({ length: args }, () => 'x'),
      options: { timeout: '2s' },
      body: body ? 'x' : undefined,
      signal: controller.signal
    })
    if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer) {
      for await (const _item of answer as AsyncIterable<unknown>) break
    }
    return undefined
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

const EXPECTED = [undefined, 'E_CLIENT_FAILED', 'E_CLIENT_REFUSED', 'E_CLIENT_FAILED_LATE', 'E_CLIENT_CUT_OFF']

for (const [way, make] of ways.slice(0, 2)) {
  test(`${way}: every command that a node serves can be called, a third party's too`, async t => {
    const host = await testHost({ plugins: [hello, third] })
    const rpc = await openRpc({ calls: host.calls, repo: repoOf(host), host, logs: host.logs, addresses: ['/ip4/127.0.0.1/tcp/0'] })
    t.teardown(async () => {
      await rpc.close()
      await host.stop()
    })
    const client = make({
      url: `http://127.0.0.1:${rpc.addresses[0]!.split('/').at(-1)}`,
      commands: [...hello.commands, ...third.commands]
    })
    const served = host.commands().filter(({ local }) => !local)
    t.true(served.some(({ path }) => path === 'hello'))
    for (const { path, args, body } of served) {
      const words = Object.values(args).filter(({ spec }) => !spec.optional && spec.default === undefined).length
      t.true(EXPECTED.includes(await tried(client, path, words, body !== undefined)), path)
    }
  })
}

test('the client knows every command that ships: its outline, its types, and nothing that is not there', async t => {
  const plugins = await declaredPlugins()
  const builtIns = plugins.filter(({ name }) => name !== hello.name && name !== third.name)
  const served = builtIns.flatMap(({ commands }) => commands.filter(({ local, status }) => !local && status !== 'removed'))
  t.deepEqual(
    [...outlines],
    served.map(outlineOf).sort((a, b) => (a.path < b.path ? -1 : 1))
  )
  const files = clientFiles(plugins)
  for (const { name, commands } of plugins) {
    const text = files.get(`host/client/generated/${name}.ts`) ?? ''
    for (const { path, local, status, options, args } of commands) {
      const isServed = !local && status !== 'removed'
      t.is(text.includes(`\n  '${path}': CommandWith<{`), isServed, path)
      for (const key of !isServed ? [] : [...Object.keys(options), ...Object.keys(args)])
        t.true(text.includes(`readonly ${key}`), `${path} ${key}`)
    }
  }
})

test('a reply that several commands of a plugin give is declared once, and so is an object that stands in it several times', async t => {
  const swarm = clientFiles(await declaredPlugins()).get('host/client/generated/swarm.ts')!
  t.is(swarm.split('Strings: string[] | null').length, 2)
  t.regex(swarm, /^export type \{.* SwarmAddrsListenReply as SwarmFiltersReply,.*\}$/m)
  t.true(swarm.includes('reply: SwarmAddrsListenReply\n') && !swarm.includes('reply: SwarmFiltersReply'))
  t.is(swarm.split('ConnsInboundUsage: number').length, 2)
  t.true(swarm.includes('  Services?: Record<string, SwarmResourcesSystemReply>\n'))
})

test('a reply whose members stand in another order is the same', async t => {
  const routing = clientFiles(await declaredPlugins()).get('host/client/generated/routing.ts')!
  t.regex(routing, /^export type \{.* DhtQueryReply as RoutingGetReply,.*\}$/m)
})

test('options that several commands of a plugin take are declared once', async t => {
  const provide = clientFiles(await declaredPlugins()).get('host/client/generated/provide.ts')!
  t.is(provide.split('readonly connectivity?').length, 2)
  t.is(provide.split('options: ProvideStatOptions\n').length, 3)
})

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

test('the types of a command that takes and answers nothing are those left out', t => {
  const isSame: Same<
    CommandWith<{ reply: string }>,
    { args: Record<string, never>; list: readonly []; options: Record<string, never>; body: false; reply: string }
  > = true
  const isUpload: CommandWith<{ body: true }>['body'] = true
  const answersNothing: Same<CommandWith<{ body: true }>['reply'], undefined> = true
  t.true(isSame && isUpload && answersNothing)
})

test('the list of the only argument follows from it', t => {
  type Listed<A extends object> = CommandWith<{ args: A }>['list']
  const one: Same<Listed<{ readonly a: string | number }>, readonly [string | number]> = true
  const maybe: Same<Listed<{ readonly a?: string }>, readonly [string?]> = true
  const several: Same<Listed<{ readonly a: readonly string[] }>, readonly [string, ...string[]]> = true
  const any: Same<Listed<{ readonly a?: readonly string[] }>, readonly string[]> = true
  const given: Same<CommandWith<{ args: { readonly a: string }; list: readonly [number] }>['list'], readonly [number]> = true
  t.true(one && maybe && several && any && given)
})
