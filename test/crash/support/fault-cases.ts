/** The operations of which every write may fail, and what each is to leave. */

import type { Body, Json } from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { uploadOf } from '../../core/unixfs/import/upload.ts'
import type { Random } from '../../helpers/random.ts'
import { gathered } from '../../helpers/streams.ts'
import type { PinState } from './expected.ts'
import { carOf, rawCid } from './rpc.ts'

export interface Call {
  readonly args?: readonly unknown[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly body?: () => Body
}

/** One operation on what was prepared for it. */
export interface Attempt {
  readonly call: Call
  readonly pins?: Readonly<Record<string, PinState>>
  readonly stored?: readonly string[]
  /** It pins what only its answer names. */
  readonly pinsOneMore?: boolean
  readonly removed?: readonly string[]
  /** Content of files of the mutable tree; undefined: there is none. */
  readonly files?: Readonly<Record<string, Uint8Array | undefined>>
  /** Directories of the mutable tree, each with the version of its CID. */
  readonly folders?: Readonly<Record<string, 0 | 1>>
  /** Where a name leads. */
  readonly name?: { readonly of: string; readonly leadsTo: string }
  /** Whether anything else is as it is to be. */
  readonly isDone?: (host: NodeHost) => Promise<boolean>
  /** It tries again by itself, so that a failure need not be told. */
  readonly triesAgain?: boolean
  /** What a second attempt says when the first did all of it, and failed only afterwards. */
  readonly already?: RegExp
}

export interface Case {
  readonly title: string
  readonly path: string
  /** What the node has beside its usual plugins, and how they are set. */
  readonly host?: {
    readonly on?: Readonly<Record<string, unknown>>
    readonly overrides?: Readonly<Record<string, Json>>
  }
  prepare(host: NodeHost, random: Random): Promise<Attempt>
}

type Line = Record<string, unknown>

/** The whole answer. @throws also for an error that stands in a line of it */
export async function ask(host: NodeHost, path: string, { body, ...request }: Call = {}): Promise<Line[]> {
  const reply = await host.call(path, { ...request, body: body?.() })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return [reply as Line]
  const lines: Line[] = []
  for await (const line of reply as AsyncIterable<Line>) {
    const { PinErrorMsg = '' } = (line['Root'] ?? {}) as { PinErrorMsg?: string }
    const told = typeof line === 'string' ? line : String(line['Error'] ?? '') || PinErrorMsg
    if (told !== '') throw new Error(told)
    lines.push(line)
  }
  return lines
}

export async function addTree(host: NodeHost, random: Random, pin: boolean): Promise<string> {
  const body = tree(random)
  return String((await ask(host, 'add', { body, options: { pin } })).at(-1)!['Hash'])
}

function tree(random: Random): () => Body {
  const files = [
    ['t/small', random.bytes(2000)] as const,
    ['t/large', random.bytes(300_000)] as const,
    ['t/sub/x', random.bytes(9000)] as const
  ]
  return () => uploadOf(files)
}

async function writeFile(host: NodeHost, random: Random, flush = true): Promise<[path: string, bytes: Uint8Array]> {
  const [path, bytes] = [`/${Buffer.from(random.bytes(8)).toString('hex')}`, random.bytes(2000)]
  await ask(host, 'files/write', { args: [path], options: { create: true, flush }, body: () => uploadOf([['f', bytes]]) })
  return [path, bytes]
}

/** Undefined where there is no such file. */
export async function contentOf(host: NodeHost, path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await gathered((await host.call('files/read', { args: [path] })) as AsyncIterable<Uint8Array>))
  } catch (error) {
    if (/does not exist/.test((error as Error).message)) return undefined
    throw error
  }
}

async function putBlock(host: NodeHost, random: Random): Promise<string> {
  const bytes = random.bytes(6000)
  return String((await ask(host, 'block/put', { body: () => uploadOf([['b', bytes]]) })).at(-1)!['Key'])
}

async function blockOf(host: NodeHost, cid: string): Promise<Uint8Array> {
  return new Uint8Array(await gathered((await host.call('block/get', { args: [cid] })) as AsyncIterable<Uint8Array>))
}

async function named(host: NodeHost, path: string, call: Call): Promise<string> {
  const options = { ...call.options, ...(path === 'add' ? { onlyHash: true } : {}) }
  return String((await ask(host, path, { ...call, options })).at(-1)!['Hash'])
}

export const cases: readonly Case[] = [
  {
    title: 'add',
    path: 'add',
    async prepare(host, random) {
      const call: Call = { body: tree(random), options: { pin: true } }
      return { call, pins: { [await named(host, 'add', call)]: 'recursive ' } }
    }
  },
  {
    title: 'add without a pin',
    path: 'add',
    async prepare(host, random) {
      const call: Call = { body: tree(random), options: { pin: false } }
      return { call, stored: [await named(host, 'add', call)] }
    }
  },
  {
    title: 'pin/add',
    path: 'pin/add',
    async prepare(host, random) {
      const cid = await addTree(host, random, false)
      return { call: { args: [cid], options: { name: 'n' } }, pins: { [cid]: 'recursive n' } }
    }
  },
  {
    title: 'pin/add of one block',
    path: 'pin/add',
    async prepare(host, random) {
      const cid = await putBlock(host, random)
      return { call: { args: [cid], options: { recursive: false } }, pins: { [cid]: 'direct ' } }
    }
  },
  {
    title: 'pin/update',
    path: 'pin/update',
    async prepare(host, random) {
      const [from, to] = [await addTree(host, random, true), await addTree(host, random, false)]
      return { call: { args: [from, to] }, pins: { [from]: 'none', [to]: 'recursive ' }, already: /not recursively pinned/ }
    }
  },
  {
    title: 'pin/rm',
    path: 'pin/rm',
    async prepare(host, random) {
      const cid = await addTree(host, random, true)
      return { call: { args: [cid] }, pins: { [cid]: 'none' }, already: /not pinned/ }
    }
  },
  {
    title: 'block/put',
    path: 'block/put',
    async prepare(_, random) {
      const bytes = random.bytes(7000)
      return { call: { body: () => uploadOf([['b', bytes]]) }, stored: [await rawCid(bytes)] }
    }
  },
  {
    title: 'block/put with a pin',
    path: 'block/put',
    async prepare(_, random) {
      const bytes = random.bytes(7000)
      return { call: { body: () => uploadOf([['b', bytes]]), options: { pin: true } }, pins: { [await rawCid(bytes)]: 'recursive ' } }
    }
  },
  {
    title: 'block/rm',
    path: 'block/rm',
    async prepare(host, random) {
      const removed = [await putBlock(host, random), await putBlock(host, random)]
      return { call: { args: removed, options: { force: true } }, removed }
    }
  },
  {
    title: 'dag/put with a pin',
    path: 'dag/put',
    async prepare(_, random) {
      const node = JSON.stringify({ text: Buffer.from(random.bytes(6000)).toString('base64') })
      return { call: { body: () => uploadOf([['n', node]]), options: { pin: true } }, pinsOneMore: true }
    }
  },
  {
    title: 'dag/import',
    path: 'dag/import',
    async prepare(_, random) {
      const { car, root } = await carOf([random.bytes(6000), random.bytes(300_000), random.bytes(50)])
      return { call: { body: () => uploadOf([['car', car]]) }, pins: { [root]: 'recursive ' } }
    }
  },
  {
    title: 'files/write of a new file',
    path: 'files/write',
    async prepare(_, random) {
      const [path, bytes] = [`/${Buffer.from(random.bytes(8)).toString('hex')}/f`, random.bytes(300_000)]
      const call: Call = { args: [path], options: { create: true, parents: true }, body: () => uploadOf([['f', bytes]]) }
      return { call, files: { [path]: bytes } }
    }
  },
  {
    title: 'files/write into a file',
    path: 'files/write',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random)
      const more = random.bytes(50)
      const call: Call = { args: [path], options: { offset: BigInt(bytes.length) }, body: () => uploadOf([['f', more]]) }
      return { call, files: { [path]: new Uint8Array([...bytes, ...more]) } }
    }
  },
  {
    title: 'files/mv',
    path: 'files/mv',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random)
      return { call: { args: [path, `${path}-moved`] }, files: { [path]: undefined, [`${path}-moved`]: bytes }, already: /does not exist/ }
    }
  },
  {
    title: 'files/cp within the tree',
    path: 'files/cp',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random)
      return { call: { args: [path, `${path}-copy`] }, files: { [path]: bytes, [`${path}-copy`]: bytes }, already: /already has entry/ }
    }
  },
  {
    title: 'files/cp into the tree',
    path: 'files/cp',
    async prepare(host, random) {
      const cid = await putBlock(host, random)
      const path = `/p${Buffer.from(random.bytes(8)).toString('hex')}/copy`
      const bytes = await blockOf(host, cid)
      return { call: { args: [`/ipfs/${cid}`, path], options: { parents: true } }, files: { [path]: bytes }, already: /already has entry/ }
    }
  },
  {
    title: 'files/mkdir',
    path: 'files/mkdir',
    async prepare(_, random) {
      const path = `/m${Buffer.from(random.bytes(8)).toString('hex')}`
      return { call: { args: [`${path}/below`], options: { parents: true } }, folders: { [`${path}/below`]: 0 } }
    }
  },
  {
    title: 'files/chcid',
    path: 'files/chcid',
    async prepare(host, random) {
      const path = `/c${Buffer.from(random.bytes(8)).toString('hex')}`
      await ask(host, 'files/mkdir', { args: [path] })
      return { call: { args: [path], options: { cidVersion: 1 } }, folders: { [path]: 1 } }
    }
  },
  {
    title: 'name/publish',
    path: 'name/publish',
    async prepare(host, random) {
      const leadsTo = `/ipfs/bafkqaaa/${Buffer.from(random.bytes(8)).toString('hex')}`
      // a host that is opened again has an identity of its own
      const [id] = await ask(host, 'id')
      return { call: { args: [leadsTo], options: { resolve: false, allowOffline: true } }, name: { of: String(id!['ID']), leadsTo } }
    }
  },
  {
    title: 'files/rm',
    path: 'files/rm',
    async prepare(host, random) {
      const [path] = await writeFile(host, random)
      return { call: { args: [path], options: { force: true } }, files: { [path]: undefined } }
    }
  },
  {
    title: 'files/flush',
    path: 'files/flush',
    async prepare(host, random) {
      const [path, bytes] = await writeFile(host, random, false)
      return { call: {}, files: { [path]: bytes } }
    }
  },
  {
    title: 'repo/gc',
    path: 'repo/gc',
    async prepare(host, random) {
      const kept = await addTree(host, random, true)
      const removed = [await putBlock(host, random), await putBlock(host, random), await addTree(host, random, false)]
      return { call: {}, pins: { [kept]: 'recursive ' }, removed, triesAgain: true }
    }
  }
]
