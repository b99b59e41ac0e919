import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { NodeConfig } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

export interface Peers {
  Peers: string[]
}

/** A node on a repo of its own in a folder, with the built-ins. */
export async function configuredHost(t: ExecutionContext, settings: Record<string, unknown> = {}, plugins: Record<string, 'off'> = {}) {
  const path = join(await temporaryFolder(t), 'repo')
  const host = await createHost({
    repo: { path, init: {} },
    configuration: { plugins: { configuration: settings as never, ...plugins }, rpc: { checkReplies: true } }
  })
  await host.start()
  t.teardown(() => host.stop())
  const call = (command: string, args: readonly string[] = [], options: Record<string, unknown> = {}) =>
    host.call(command, { args, options }) as Promise<never>
  const file = join(path, 'config')
  return {
    host,
    path,
    file,
    get: async (key: string) => ((await call('config', [key])) as { Value: unknown }).Value,
    set: async (key: string, value: unknown) =>
      ((await call('config', [key, JSON.stringify(value)], { json: true })) as { Value: unknown }).Value,
    call,
    show: () => call('config/show') as Promise<NodeConfig>,
    text: () => readFile(file, 'utf8'),
    onDisk: async () => JSON.parse(await readFile(file, 'utf8')) as Record<string, Record<string, unknown>>
  }
}
