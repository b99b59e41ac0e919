import type { ExecutionContext } from 'ava'
import { type Command, type Json, type Plugin, plugin } from '../../../../core/index.ts'
import { type NodeHost } from '../../../../host/host.ts'
import { openRpc, type RpcListener, type RpcOptions } from '../../../../host/rpc/listener.ts'
import { testHost } from '../../../../host/testing.ts'
import { Wire } from './wire.ts'

export interface TestRpc extends RpcListener {
  readonly host: NodeHost
  readonly port: number
  readonly url: string
  wire(from?: string): Promise<Wire>
  post(path: string, init?: RequestInit): Promise<Response>
}

interface Options {
  readonly commands?: readonly Command[]
  readonly plugins?: readonly Plugin[]
  /** Keys of the node configuration. */
  readonly config?: Readonly<Record<string, Json>>
  readonly settings?: Partial<Omit<NonNullable<RpcOptions['settings']>, 'limits'>> & { limits?: Record<string, number> }
  readonly routes?: RpcOptions['routes']
  readonly configuration?: Parameters<typeof testHost>[0] extends infer O ? (O extends { configuration?: infer C } ? C : never) : never
}

/** An RPC listener on a free port of the loopback over a host with these commands alone. It goes with the test. */
export async function openTestRpc(t: ExecutionContext, options: Options = {}): Promise<TestRpc> {
  const { commands = [], plugins = [], config = {}, settings, routes, configuration } = options
  const given = [...plugins, plugin({ name: 'fakes', api: '^1', about: 'Commands for tests.', commands })]
  const host = await testHost({ builtIns: false, plugins: given, configuration })
  const rpc = await openRpc({
    calls: host.calls,
    repo: { get: (<T>(key: string) => config[key] as T | undefined) as never },
    host,
    health: host.health,
    logs: host.logs,
    settings: settings as never,
    addresses: ['/ip4/127.0.0.1/tcp/0'],
    routes
  })
  const port = Number(rpc.addresses[0]!.split('/').at(-1))
  const url = `http://127.0.0.1:${port}`
  const wires: Wire[] = []
  t.teardown(async () => {
    for (const wire of wires) wire.leave()
    await rpc.close()
    await host.stop()
  })
  return {
    ...rpc,
    host,
    port,
    url,
    async wire(from) {
      const wire = await Wire.to(port, from)
      wires.push(wire)
      return wire
    },
    post: (path, init) => fetch(`${url}/api/v0/${path}`, { method: 'POST', ...init })
  }
}

/** A multipart body. A part that is a string is a file called by its position. */
export function form(...parts: Array<string | { head: string[]; data: string }>): { headers: Record<string, string>; body: string } {
  const text = parts.map((part, i) => {
    const { head, data } =
      typeof part === 'string' ? { head: [`Content-Disposition: form-data; name="file"; filename="${i}"`], data: part } : part
    return `--edge\r\n${head.join('\r\n')}\r\n\r\n${data}\r\n`
  })
  return { headers: { 'Content-Type': 'multipart/form-data; boundary=edge' }, body: `${text.join('')}--edge--\r\n` }
}
