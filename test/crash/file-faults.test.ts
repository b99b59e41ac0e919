/** Files that fail: a change of keys or of the configuration is done or not, is told as done only when it is durable, and can be tried again. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { generateIdentity } from '../../core/keys/index.ts'
import { createHost } from '../../host/create.ts'
import type { NodeHost } from '../../host/host.ts'
import { uploadOf } from '../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../helpers/folder.ts'
import { some } from '../helpers/random.ts'
import { FileFaults, type FileMode } from './support/file-faults.ts'

const PEER = '/ip4/10.0.0.1/tcp/1/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
/** More changes of files than any of these operations needs. */
const MOST = 40

interface Attempt {
  readonly path: string
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
  readonly files?: () => Promise<ReadonlyArray<readonly [string, Uint8Array]>>
  /** What a second attempt says when the first did all of it, and failed only afterwards. */
  readonly already?: RegExp
}

interface Case {
  readonly title: string
  /** @param n - a number that no other attempt of the case has */
  prepare(host: NodeHost, n: number): Promise<Attempt>
  /** Whether it is done. */
  isDone(state: State, n: number): boolean
}

/** All that may be changed, and nothing that changes by itself. */
interface State {
  readonly config: Record<string, unknown>
  readonly keys: ReadonlyMap<string, string>
  readonly services: readonly string[]
  readonly tokens: readonly string[]
}

async function stateOf(host: NodeHost): Promise<State> {
  const config = (await host.call('config/show')) as Record<string, unknown>
  const { Keys } = (await host.call('key/list')) as { Keys: Array<{ Name: string; Id: string }> }
  const { RemoteServices } = (await host.call('pin/remote/service/ls')) as { RemoteServices: Array<{ Service: string }> }
  const { Tokens } = (await host.call('token/list')) as { Tokens: Array<{ Name: string }> }
  return {
    config: structuredClone(config),
    keys: new Map(Keys.map(({ Name, Id }) => [Name, Id])),
    services: RemoteServices.map(({ Service }) => Service),
    tokens: Tokens.map(({ Name }) => Name)
  }
}

const text = ({ config, keys, ...others }: State) => JSON.stringify([config, [...keys].sort(), others])

const mine = ({ config }: State) => (config['Mine'] ?? {}) as Record<string, number>
const bootstrap = ({ config }: State) => (config['Bootstrap'] ?? []) as string[]
const mdns = ({ config }: State) => (config['Discovery'] as { MDNS: { Enabled: boolean } }).MDNS.Enabled

const cases: readonly Case[] = [
  {
    title: 'config',
    prepare: async (_, n) => ({ path: 'config', args: ['Mine.Value', String(n)], options: { json: true } }),
    isDone: (state, n) => mine(state)['Value'] === n
  },
  {
    title: 'config/replace',
    async prepare(host, n) {
      const { config } = await stateOf(host)
      const next = { ...config, Gateway: { ...(config['Gateway'] as object), HTTPHeaders: { 'X-Whole': [String(n)] } } }
      return { path: 'config/replace', files: async () => [['config', Buffer.from(JSON.stringify(next))]] }
    },
    isDone: ({ config }, n) => (config['Gateway'] as { HTTPHeaders: Record<string, string[]> }).HTTPHeaders['X-Whole']?.[0] === String(n)
  },
  {
    title: 'config/profile/apply',
    async prepare(host) {
      await host.call('config/profile/apply', { args: ['server'] })
      return { path: 'config/profile/apply', args: ['local-discovery'] }
    },
    isDone: state => mdns(state)
  },
  {
    title: 'bootstrap/add',
    async prepare(host) {
      await host.call('bootstrap/rm/all')
      return { path: 'bootstrap/add', args: [PEER] }
    },
    isDone: state => bootstrap(state).join() === PEER
  },
  {
    title: 'bootstrap/rm',
    async prepare(host) {
      await host.call('bootstrap/add', { args: [PEER] })
      return { path: 'bootstrap/rm', args: [PEER] }
    },
    isDone: state => !bootstrap(state).includes(PEER)
  },
  {
    title: 'key/gen',
    prepare: async (_, n) => ({ path: 'key/gen', args: [`made ${n}`], already: /already exists/ }),
    isDone: ({ keys }, n) => keys.has(`made ${n}`)
  },
  {
    title: 'key/import',
    async prepare(_, n) {
      const { privateKey } = await generateIdentity()
      return { path: 'key/import', args: [`taken in ${n}`], files: async () => [['key', privateKey]], already: /already exists/ }
    },
    isDone: ({ keys }, n) => keys.has(`taken in ${n}`)
  },
  {
    title: 'key/rename over another key',
    async prepare(host, n) {
      for (const name of [`from ${n}`, `to ${n}`]) await host.call('key/gen', { args: [name] })
      return { path: 'key/rename', args: [`from ${n}`, `to ${n}`], options: { force: true }, already: /no key named from/ }
    },
    isDone: ({ keys }, n) => keys.has(`to ${n}`) && !keys.has(`from ${n}`)
  },
  {
    title: 'key/rm',
    async prepare(host, n) {
      await host.call('key/gen', { args: [`goes ${n}`] })
      return { path: 'key/rm', args: [`goes ${n}`], already: /no key named goes/ }
    },
    isDone: ({ keys }, n) => !keys.has(`goes ${n}`)
  },
  {
    title: 'pin/remote/service/add',
    prepare: async (_, n) => ({
      path: 'pin/remote/service/add',
      args: [`s${n}`, 'http://127.0.0.1:9', 'secret'],
      already: /already present/
    }),
    isDone: ({ services }, n) => services.includes(`s${n}`)
  },
  {
    title: 'pin/remote/service/rm',
    async prepare(host, n) {
      await host.call('pin/remote/service/add', { args: [`s${n}`, 'http://127.0.0.1:9', 'secret'] })
      return { path: 'pin/remote/service/rm', args: [`s${n}`] }
    },
    isDone: ({ services }, n) => !services.includes(`s${n}`)
  },
  {
    title: 'token/new',
    prepare: async (_, n) => ({ path: 'token/new', args: [`t${n}`], already: /there is .*already/ }),
    isDone: ({ tokens }, n) => tokens.includes(`t${n}`)
  },
  {
    title: 'token/rm',
    async prepare(host, n) {
      await host.call('token/new', { args: [`t${n}`] })
      return { path: 'token/rm', args: [`t${n}`], already: /no token/ }
    },
    isDone: ({ tokens }, n) => !tokens.includes(`t${n}`)
  }
]

async function start(path: string): Promise<NodeHost> {
  const host = await createHost({ repo: { path, init: {} } })
  await host.start()
  return host
}

/** @returns what it was refused with */
async function attempt(host: NodeHost, { path, args = [], options = {}, files }: Attempt): Promise<Error | undefined> {
  try {
    const reply = await host.call(path, { args, options, body: files && uploadOf(await files()) })
    if (reply !== undefined && Symbol.asyncIterator in Object(reply)) for await (const _ of reply as AsyncIterable<unknown>);
    return undefined
  } catch (error) {
    return error as Error
  }
}

async function failEach(t: ExecutionContext, { prepare, isDone }: Case, repo: string, mode: FileMode): Promise<number> {
  const faults = new FileFaults(
    path =>
      path.startsWith(join(repo, 'config')) ||
      path.startsWith(join(repo, 'keystore')) ||
      path === repo ||
      path.startsWith(join(repo, 'pre-'))
  )
  t.teardown(() => faults.end())
  let host = await start(repo)
  try {
    for (let at = 1; at <= MOST; at++) {
      const one = await prepare(host, at)
      const before = await stateOf(host)
      faults.arm(at, mode)
      const error = await attempt(host, one)
      faults.disarm()
      const where = `${mode} ${at}, ${faults.fired}`
      const state = await stateOf(host)
      if (faults.fired === undefined) {
        t.is(error, undefined, where)
        t.true(isDone(state, at), where)
        return at - 1
      }
      t.regex(error?.message ?? 'done', /EIO/, `${where}: told as done`)
      if (!isDone(state, at)) t.is(text(state), text(before), `${where}: half of it was done`)
      await host.stop()
      host = await start(repo)
      t.is(text(await stateOf(host)), text(state), `${where}: the next start finds something else`)
      const second = await attempt(host, one)
      if (second !== undefined) t.regex(second.message, isDone(state, at) ? (one.already ?? /^$/) : /^$/, `${where}, again`)
      t.true(isDone(await stateOf(host), at), `${where}, again`)
    }
    throw new Error(`it still writes after ${MOST} changes`)
  } finally {
    await host.stop()
    const left = (await readdir(repo, { recursive: true })).filter(name => /\.tmp$|\.key-/.test(name))
    t.deepEqual(left, [], 'nothing unfinished is left')
    faults.end()
  }
}

/** Ways in which a change fails: a run tries one, unless it is told to try all. */
const ways = ['before', 'after', 'half'] as const
const TRIED = process.env['FAULTS_ALL'] === '1' ? ways.length : 1
const SEED = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

for (const [index, one] of cases.entries())
  test.serial(`${one.title}: every change of a file of it may fail`, async t => {
    t.log(`CRASH_SEED=${SEED} repeats it, FAULTS_ALL=1 tries all ways`)
    const folder = await temporaryFolder(t)
    for (const mode of some(ways, TRIED, SEED + index)) t.true((await failEach(t, one, join(folder, mode), mode)) >= 2, mode)
  })
