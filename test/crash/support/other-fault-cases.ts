/** References, and tokens of the pinning service: operations of which every write may fail. Its requests: `test/plugins/pinning-service`. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Body } from '../../../core/index.ts'
import type { NodeHost } from '../../../host/host.ts'
import { partOf, uploadOf } from '../../core/unixfs/import/upload.ts'
import type { Random } from '../../helpers/random.ts'
import { ask, type Case } from './fault-cases.ts'
import { rawCid } from './rpc.ts'

/** Files lie in the folder for what is temporary. */
const FILES: Case['host'] = { on: { filestore: { roots: [tmpdir()] } }, overrides: { 'Experimental.FilestoreEnabled': true } }

async function* upload(absPath: string, bytes: Uint8Array): Body {
  yield { ...partOf('f', 'file', bytes), absPath }
}

async function writtenFile(random: Random): Promise<{ path: string; bytes: Uint8Array }> {
  const [path, bytes] = [join(await mkdtemp(join(tmpdir(), 'holdfast-faults-')), 'file'), random.bytes(300_000)]
  await writeFile(path, bytes)
  return { path, bytes }
}

/** What the references that a node has say of themselves: `Status` 0 is sound. */
async function referencesOf(host: NodeHost, path: string): Promise<unknown[]> {
  return (await ask(host, 'filestore/verify')).filter(({ FilePath }) => path.endsWith(`/${String(FilePath)}`)).map(({ Status }) => Status)
}

const SERVICE: Case['host'] = { on: { 'pinning-service': { port: 0 }, gateway: 'off' } }

async function tokensOf(host: NodeHost): Promise<string[]> {
  const [{ Tokens }] = (await ask(host, 'pin/service/token/list')) as unknown as [{ Tokens: Array<{ Name: string }> }]
  return Tokens.map(({ Name }) => Name)
}

const nameOf = (random: Random) => Buffer.from(random.bytes(8)).toString('hex')

export const otherCases: readonly Case[] = [
  {
    title: 'add by reference',
    path: 'add',
    host: FILES,
    async prepare(host, random) {
      const { path, bytes } = await writtenFile(random)
      const named = { options: { onlyHash: true, rawLeaves: true }, body: () => uploadOf([['f', bytes]]) }
      const root = String((await ask(host, 'add', named)).at(-1)!['Hash'])
      const isDone = async (at: NodeHost) => (await referencesOf(at, path)).join() === '0,0'
      return { call: { options: { nocopy: true }, body: () => upload(path, bytes) }, pins: { [root]: 'recursive ' }, isDone }
    }
  },
  {
    title: 'block/rm of a reference',
    path: 'block/rm',
    host: FILES,
    async prepare(host, random) {
      const { path, bytes } = await writtenFile(random)
      await ask(host, 'add', { options: { nocopy: true, pin: false }, body: () => upload(path, bytes) })
      const leaves = [await rawCid(bytes.subarray(0, 262_144)), await rawCid(bytes.subarray(262_144))]
      return {
        call: { args: leaves, options: { force: true } },
        removed: leaves,
        isDone: async at => (await referencesOf(at, path)).length === 0
      }
    }
  },
  {
    title: 'pin/service/token/new',
    path: 'pin/service/token/new',
    host: SERVICE,
    async prepare(_, random) {
      const name = nameOf(random)
      return { call: { args: [name] }, isDone: async host => (await tokensOf(host)).includes(name), already: /exists/ }
    }
  },
  {
    title: 'pin/service/token/rm',
    path: 'pin/service/token/rm',
    host: SERVICE,
    async prepare(host, random) {
      const name = nameOf(random)
      await ask(host, 'pin/service/token/new', { args: [name] })
      return { call: { args: [name] }, isDone: async at => !(await tokensOf(at)).includes(name) }
    }
  }
]
