import type { ExecutionContext } from 'ava'
import { type NodeHost } from '../../../host/host.ts'
import { openRpc, type RpcOptions } from '../../../host/rpc/listener.ts'
import { type TestHostOptions, testHost } from '../../../host/testing.ts'

/** A node in memory with all built-ins behind a listener on a free port. It goes with the test. */
export async function openNode(t: ExecutionContext, options: TestHostOptions = {}, rpcOptions: Partial<RpcOptions> = {}) {
  const host = await testHost(options)
  const rpc = await openNodeRpc(host, rpcOptions)
  t.teardown(() => host.stop())
  return { host, ...rpc }
}

export async function openNodeRpc(host: NodeHost, options: Partial<RpcOptions> = {}) {
  const rpc = await openRpc({
    calls: host.calls,
    repo: { get: () => undefined },
    host,
    logs: host.logs,
    addresses: ['/ip4/127.0.0.1/tcp/0'],
    routes: host.routes('rpc'),
    requestCounts: host.requestCounts,
    ...options
  })
  host.beforeStop(() => rpc.close())
  const url = `http://127.0.0.1:${rpc.addresses[0]!.split('/').at(-1)}`
  return { rpc, url, post: (path: string, init?: RequestInit) => fetch(`${url}/api/v0/${path}`, { method: 'POST', ...init }) }
}
