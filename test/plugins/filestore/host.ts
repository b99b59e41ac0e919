import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { Body, BodyPart, Json } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { itemsOf } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

/** A line of `filestore/ls` and `filestore/verify`. */
export interface Line {
  readonly Status: number
  readonly ErrorMsg: string
  readonly Key: { readonly '/': string } | null
  readonly FilePath: string
  readonly Offset: number
  readonly Size: number
}

export interface Added {
  readonly Name: string
  readonly Hash: string
}

interface Options {
  readonly settings?: Record<string, unknown>
  readonly overrides?: Readonly<Record<string, Json>>
}

/** A node whose repo lies in a folder of its own, with files and URLs allowed. */
export async function node(t: ExecutionContext, { settings = {}, overrides = {} }: Options = {}) {
  const folder = await temporaryFolder(t)
  const on = { 'Experimental.FilestoreEnabled': true, 'Experimental.UrlstoreEnabled': true, ...overrides }
  const host = await createHost({
    repo: { path: join(folder, 'repo'), init: {}, overrides: on },
    configuration: { plugins: { filestore: settings, older: 'on' }, rpc: { checkReplies: true } }
  })
  await host.start()
  t.teardown(() => host.stop())
  const add = async (absPath: string | undefined, bytes: string | Uint8Array, options: Record<string, unknown> = {}) =>
    itemsOf<Added>(await host.call('add', { options: { nocopy: true, ...options }, body: part(absPath, bytes) }))
  const hashOf = async (absPath: string, bytes: string | Uint8Array, options?: Record<string, unknown>) =>
    (await add(absPath, bytes, options)).at(-1)!.Hash
  const lines = async (path: 'filestore/ls' | 'filestore/verify', args: string[] = [], options = {}) =>
    itemsOf<Line>(await host.call(path, { args, options }))
  const cat = async (hash: string) => Buffer.concat(await itemsOf<Uint8Array>(await host.call('cat', { args: [hash] }))).toString()
  return { folder, host, add, hashOf, lines, cat }
}

/** An upload of one file that says where it lies. */
async function* part(absPath: string | undefined, content: string | Uint8Array): Body {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const file: BodyPart = {
    path: '/file',
    kind: 'file',
    headers: {},
    ...(absPath !== undefined && { absPath }),
    async *bytes() {
      yield bytes
    }
  }
  yield file
}

/** A server on loopback. @returns its address as a URL */
export async function server(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const made = createServer(answer)
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  t.teardown(() => {
    made.closeAllConnections()
    made.close()
  })
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`
}
