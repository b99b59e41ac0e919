import type { ExecutionContext } from 'ava'
import type { AnyProvision } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { type NodeHost } from '../../../host/host.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { put } from '../blocks/host.ts'

/** A line of `repo/verify`. */
export interface Verified {
  Msg: string
  Progress: number
}

export interface RepoStat {
  RepoSize: number | bigint
  StorageMax: number | bigint
  NumObjects: number
  RepoPath: string
  Version: string
}

export interface Setup {
  readonly services?: readonly AnyProvision[]
  /** Keys of the node configuration, dotted. */
  readonly overrides?: Record<string, string>
  /** Settings of storage-rocksdb; by default every block is a file. */
  readonly storage?: Record<string, unknown>
}

/** The built-ins on a repo of their own in a folder. */
export async function repoHost(
  t: ExecutionContext,
  { services, overrides, storage = { inlineUpTo: 0, largeBlocks: 'files' } }: Setup = {}
) {
  const repo = `${await temporaryFolder(t)}/repo`
  const host = await createHost({
    services,
    repo: { path: repo, init: {}, overrides },
    configuration: { plugins: { 'storage-rocksdb': storage as never }, rpc: { checkReplies: true } }
  })
  await host.start()
  t.teardown(() => host.stop())
  return { host, repo }
}

export function verify(host: NodeHost, signal?: AbortSignal): Promise<{ items: Verified[]; error: string | undefined }> {
  return itemsUntilError<Verified>(host.call('repo/verify', { signal }))
}

/** What `repo/verify` says of bad blocks. */
export async function faults(host: NodeHost): Promise<string[]> {
  return (await verify(host)).items.map(({ Msg }) => Msg).filter(message => message !== '')
}

export async function stat(host: NodeHost, options: Record<string, unknown> = {}): Promise<RepoStat> {
  return (await host.call('repo/stat', { options })) as RepoStat
}

/** Stores `count` blocks that differ. @returns their CIDs */
export async function putMany(host: NodeHost, count: number, size = 1000): Promise<string[]> {
  const cids: string[] = []
  for (let i = 0; i < count; i++) cids.push(await put(host, `block ${i} `.padEnd(size, '.')))
  return cids
}
