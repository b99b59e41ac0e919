/**
 * For authors of plugins: a host in memory.
 *
 * ```ts
 * import { testHost } from 'holdfast/testing'
 *
 * const host = await testHost({ plugins: [mine], services: [ready(Pins, fakePins)] })
 * t.deepEqual(await host.call('mine/hello', { args: ['you'] }), { Message: 'hello, you' })
 * await host.stop()
 * ```
 *
 * @packageDocumentation
 */
import { type AnyProvision, type Body, type Json, type Plugin, Repo } from '../core/index.ts'
import type { HostConfiguration } from './configuration.ts'
import { createHost } from './create.ts'
import { type NodeHost } from './host.ts'

export interface TestHostOptions {
  /** The plugins under test. */
  readonly plugins?: readonly Plugin[]
  /** Fakes: each takes the place of whoever would provide its service. */
  readonly services?: readonly AnyProvision[]
  /** Whether the built-ins are there too, over stores in memory. Default true. */
  readonly builtIns?: boolean
  readonly configuration?: HostConfiguration
  /** Values of the node configuration by their dotted keys, e.g. `{ 'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0'] }`. */
  readonly node?: Readonly<Record<string, Json>>
}

/** A started host with no folder and no listener, whose replies are held against their schemas. Stop it when the test ends. */
export async function testHost(options: TestHostOptions = {}): Promise<NodeHost> {
  const { plugins, services, builtIns = true, configuration = {}, node = {} } = options
  const host = await createHost({
    plugins,
    services,
    catalogue: builtIns ? undefined : [],
    // a free port for each of the node's listeners
    repo: { path: undefined, init: {}, overrides: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0', ...node } },
    configuration: {
      ...configuration,
      plugins: { ...(builtIns ? { 'storage-rocksdb': 'off', 'storage-memory': 'on' } : {}), ...configuration.plugins },
      rpc: { checkReplies: true, ...configuration.rpc }
    }
  })
  await host.start()
  return host
}

/** Where a served host is reached. */
export interface Served {
  /** The RPC, e.g. `http://127.0.0.1:41234/api/v0`; undefined on a host without a repo. */
  readonly rpc: string | undefined
  /** Listeners of plugins, by name: `http://127.0.0.1:41235`; of one with several addresses, the first. */
  readonly listeners: Readonly<Record<string, string>>
}

/** Opens the RPC of a started host on a free port of this machine, and the listeners of its plugins. They close with the host. */
export async function serve(host: NodeHost): Promise<Served> {
  const [{ openRpc }, { openPluginListeners }] = await Promise.all([
    import('./rpc/listener.ts'),
    import('./http/listen/plugin-listeners.ts')
  ])
  const { logs, calls, requestCounts } = host
  const repo = host.service(Repo)
  let rpc: string | undefined
  if (repo !== undefined) {
    const addresses = ['/ip4/127.0.0.1/tcp/0']
    const listener = await openRpc({
      calls,
      repo,
      host,
      health: host.health,
      logs,
      requestCounts,
      routes: host.routes('rpc'),
      settings: host.configuration.rpc,
      addresses
    })
    host.beforeStop(() => listener.close())
    rpc = `http://127.0.0.1:${listener.addresses[0]!.split('/').at(-1)}/api/v0`
  }
  const listeners = await openPluginListeners({ host, logs })
  for (const { close } of listeners) host.beforeStop(close)
  return { rpc, listeners: Object.fromEntries(listeners.map(({ name, urls: [first] }) => [name, first])) }
}

/**
 * The upload for a command that takes files: one without a name, or several by path.
 *
 * ```ts
 * await itemsOf(await host.call('add', { body: upload({ 'site/index.html': '<h1>hello</h1>' }) }))
 * ```
 */
export async function* upload(files: string | Uint8Array | Readonly<Record<string, string | Uint8Array>>): Body {
  const named = typeof files === 'string' || files instanceof Uint8Array ? { '': files } : files
  for (const [path, content] of Object.entries(named)) {
    yield {
      path: `/${path}`,
      kind: 'file',
      headers: {},
      async *bytes() {
        yield typeof content === 'string' ? new TextEncoder().encode(content) : content
      }
    }
  }
}

/** All items of a streaming reply, or all chunks of one of octets. */
export async function itemsOf<T>(reply: unknown): Promise<T[]> {
  const items: T[] = []
  for await (const item of (await reply) as AsyncIterable<T>) items.push(item)
  return items
}
