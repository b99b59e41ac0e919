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
import type { AnyProvision, Plugin } from '../core/index.ts'
import type { HostConfiguration } from './configuration.ts'
import { createHost, type NodeHost } from './host.ts'

export interface TestHostOptions {
  /** The plugins under test. */
  readonly plugins?: readonly Plugin[]
  /** Fakes: each takes the place of whoever would provide its service. */
  readonly services?: readonly AnyProvision[]
  /** Whether the built-ins are there too, over stores in memory. Default true. */
  readonly builtIns?: boolean
  readonly configuration?: HostConfiguration
}

/** A started host with no folder and no listener, whose replies are held against their schemas. Stop it when the test ends. */
export async function testHost(options: TestHostOptions = {}): Promise<NodeHost> {
  const { plugins, services, builtIns = true, configuration = {} } = options
  const host = await createHost({
    plugins,
    services,
    catalogue: builtIns ? undefined : [],
    repo: { path: undefined, init: {} },
    configuration: {
      ...configuration,
      plugins: { ...(builtIns ? { 'storage-rocksdb': 'off', 'storage-memory': 'on' } : {}), ...configuration.plugins },
      rpc: { checkReplies: true, ...configuration.rpc }
    }
  })
  await host.start()
  return host
}
