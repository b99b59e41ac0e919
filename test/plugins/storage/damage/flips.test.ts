/**
 * One bit of any file of a repo is another: the node starts, or says exactly why not; verify names each damaged block and nothing else; no command
 * loses anything that is whole; salvage brings back all of it. `FLIPS=1000` makes more rounds, `FLIPS_SEED` repeats them.
 */
import { copyFile, cp, link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { inspect } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { decodeMultihash } from '../../../../core/cid/multihash.ts'
import { rawCidToString } from '../../../../core/cid/parse.ts'
import { Blockstore, type FastBlocks } from '../../../../core/index.ts'
import { createHost, type NodeHost } from '../../../../host/index.ts'
import { isIntact } from '../../../../plugins/storage-rocksdb/durability/suspects.ts'
import { uploadOf } from '../../../core/unixfs/import/upload.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { type Random, seeded } from '../../../helpers/random.ts'
import { flip } from './repo.ts'

const FLIPS = Number(process.env['FLIPS'] ?? 30)
const SEED = Number(process.env['FLIPS_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** Rounds in which a repo is salvaged although it starts. */
const SALVAGED = 10
/** What a flip in a file of one's own, not of the store, may do: change what it says, or make the node refuse it by its name. */
const SETTINGS = /^(?:config|version|datastore_spec|layouts|keystore\/.*)$/
/** The head of a record in a segment. */
const HEAD = 12

/** What a repo holds. */
interface Content {
  readonly blocks: ReadonlySet<string>
  readonly pins: string
  readonly tree: string
  readonly keys: string
  readonly names: string
}

async function hostOf(path: string, salvage?: (line: string) => void): Promise<NodeHost> {
  return createHost({
    repo: { path, init: {}, ...(salvage && { salvage }) },
    offline: 'a test',
    configuration: { plugins: { gateway: 'off', mcp: 'off', mount: 'off', network: 'off' } as never },
    log: { level: 'silent' }
  })
}

type Line = Record<string, unknown>

async function ask(host: NodeHost, path: string, args: readonly string[] = [], options: Line = {}): Promise<Line[]> {
  const reply = await host.call(path, { args, options })
  if (reply === undefined || !(Symbol.asyncIterator in Object(reply))) return [reply as Line]
  const lines: Line[] = []
  for await (const line of reply as AsyncIterable<Line>) lines.push(line)
  return lines
}

const text = async (...call: Parameters<typeof ask>) => inspect(await ask(...call), { depth: 9, maxArrayLength: null })

async function contentOf(host: NodeHost): Promise<Content> {
  const store = host.service(Blockstore) as unknown as FastBlocks
  const blocks = new Set<string>()
  for await (const multihash of store.listMultihashes()) {
    const bytes = await store.getBytes(multihash).catch(() => undefined)
    if (bytes !== undefined && isIntact(multihash, bytes)) blocks.add(rawCidToString(multihash))
  }
  const keys = (await ask(host, 'key/list', [], { l: true })) as unknown as [{ Keys: Array<{ Id: string }> }]
  const names: string[] = []
  for (const { Id } of keys[0].Keys)
    names.push(await text(host, 'name/resolve', [Id], { offline: true }).catch((error: Error) => error.message))
  return {
    blocks,
    pins: await text(host, 'pin/ls', [], { type: 'recursive', names: true }),
    tree: await text(host, 'files/ls', ['/'], { long: true }),
    keys: JSON.stringify(keys),
    names: names.join()
  }
}

/** A repo of 5,000 blocks, 500 pins, a mutable tree, keys and names: as a stop leaves it, and as a kill does. */
async function templates(t: ExecutionContext, random: Random): Promise<{ content: Content; stopped: string; killed: string }> {
  const folder = await temporaryFolder(t)
  const path = join(folder, 'stopped')
  const host = await hostOf(path)
  await host.start()
  for (const [chunker, most, part] of [
    ['size-5000', 85_000, 0],
    ['size-1500', 26_000, 1]
  ] as const) {
    const files = Array.from({ length: 250 }, (_, i) => [`${part}-${i}`, random.bytes(1000 + random.below(most))] as const)
    const body = uploadOf(files)
    for await (const _ of (await host.call('add', { body, options: { chunker, rawLeaves: true } })) as AsyncIterable<unknown>);
    for (const [name] of files.slice(0, 10)) {
      const body = uploadOf([[name, random.bytes(9000)]])
      await host.call('files/write', { args: [`/${name}`], body, options: { create: true } })
    }
    const { Name } = (await ask(host, 'key/gen', [`key${part}`]))[0] as { Name: string }
    const pins = (await ask(host, 'pin/ls', [], { type: 'recursive', stream: true })) as Array<{ Cid: string }>
    await ask(host, 'name/publish', [pins[part]!.Cid], { key: Name, allowOffline: true })
  }
  // What nothing keeps is not to be missed.
  await ask(host, 'repo/gc')
  const content = await contentOf(host)
  const killed = join(folder, 'killed')
  await cp(path, killed, { recursive: true })
  await rm(join(killed, 'repo.lock'), { force: true })
  await host.stop()
  return { content, stopped: path, killed }
}

/** A copy that shares what no node writes to. */
async function copyOf(from: string, to: string, files: readonly string[], flipped: string): Promise<void> {
  for (const name of files) {
    await mkdir(dirname(join(to, name)), { recursive: true })
    const isShared = name !== flipped && /\.sst$/.test(name)
    await (isShared ? link : copyFile)(join(from, name), join(to, name))
  }
}

/** The block to which a byte of a segment belongs. */
function blockAt(segment: Buffer, at: number): string | undefined {
  for (let begin = 0; begin + HEAD < segment.length; ) {
    const [key, size] = [segment.readUInt32BE(begin + 4), segment.readUInt32BE(begin + 8)]
    const end = begin + HEAD + key + size
    if (at < end) return rawCidToString(decodeMultihash(new Uint8Array(segment.subarray(begin + HEAD, begin + HEAD + key))).bytes)
    begin = end
  }
  return undefined
}

async function verify(host: NodeHost): Promise<string[]> {
  const named: string[] = []
  try {
    for await (const { Msg } of (await host.call('repo/verify', {})) as AsyncIterable<{ Msg: string }>) {
      const [, cid] = /^block (\S+) /.exec(Msg) ?? []
      if (cid !== undefined) named.push(cid)
    }
  } catch (error) {
    if (!/corrupt/.test((error as Error).message)) throw error
  }
  return named
}

test(`after each of ${FLIPS} wrong bits in a repo nothing that is whole is lost, and what is not is named`, async t => {
  t.timeout(120_000 + FLIPS * 20_000)
  t.log(`seed ${SEED} (FLIPS_SEED repeats it, FLIPS says how often)`)
  const random = seeded(SEED)
  const { content, ...repos } = await templates(t, random)
  const tally = new Map<string, number>()
  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)
  t.log(`${content.blocks.size} blocks, ${content.pins.match(/Type: 'recursive'/g)?.length} pins`)
  for (let round = 0; round < FLIPS; round++) {
    const from = random.below(3) === 0 ? repos.killed : repos.stopped
    const files = await filesIn(from)
    const name = random.below(2) === 0 ? files[random.below(files.length)]!.name : byWeight(files, random)
    const size = files.find(file => file.name === name)!.size
    const [at, bit] = [random.below(size), random.below(8)]
    const where = `round ${round}: ${basename(from)}/${name} at ${at}, bit ${bit}`
    const path = join(dirname(from), `round-${round}`)
    await copyOf(
      from,
      path,
      files.map(file => file.name),
      name
    )
    await flip(join(path, name), at, bit)
    const damaged = name.endsWith('.blocks') ? blockAt(await readFile(join(from, name)), at) : undefined
    const host = await hostOf(path)
    const refused = await host.start().then(
      () => undefined,
      (error: Error) => error
    )
    if (refused !== undefined) {
      count('refused')
      count(`refused: ${name.replaceAll(/\d+/g, 'N')}`)
      t.true(refused.message.includes(basename(name)) || refused.message.includes(dirname(name)), `${where}: ${refused.message}`)
      await host.stop()
    } else {
      count('started')
      const named = await verify(host)
      t.deepEqual([...new Set(named)], damaged === undefined ? [] : [damaged], `${where}: named`)
      for (const command of ['refs/local', 'repo/stat', 'pin/verify']) await t.notThrowsAsync(ask(host, command), `${where}: ${command}`)
      await ask(host, 'repo/gc').catch((error: Error) => count(`gc: ${error.message.slice(0, 40)}`))
      if (name.startsWith('keystore/') || name === 'config') count('settings')
      else same(t, await contentOf(host), content, damaged, where)
      await host.stop()
    }
    if ((refused !== undefined && !SETTINGS.test(name)) || round % SALVAGED === 0) {
      const lines: string[] = []
      const again = await hostOf(path, line => lines.push(line))
      const failed = await again.start().then(
        () => undefined,
        (error: Error) => error
      )
      if (SETTINGS.test(name) && failed !== undefined) count('settings')
      else {
        t.is(failed, undefined, `${where}: ${failed?.message}`)
        count('salvaged')
        if (failed === undefined && name !== 'config' && !name.startsWith('keystore/'))
          same(t, await contentOf(again), content, damaged, `${where}: salvaged`)
      }
      await again.stop()
    }
    await rm(path, { recursive: true })
  }
  for (const [what, times] of [...tally].sort()) t.log(`${what}: ${times}`)
  t.true((tally.get('started') ?? 0) > 0)
})

/** Damage of the block that is named hides nothing else. */
function same(t: ExecutionContext, now: Content, before: Content, damaged: string | undefined, where: string): void {
  const missing = [...before.blocks].filter(cid => cid !== damaged && !now.blocks.has(cid))
  t.is(missing.length, 0, `${where}: ${missing.length} blocks are missing, such as ${missing.slice(0, 3)}`)
  for (const what of ['pins', 'keys', 'names'] as const) t.is(now[what], before[what], `${where}: ${what}`)
  if (damaged === undefined) t.is(now.tree, before.tree, `${where}: tree`)
}

async function filesIn(folder: string): Promise<Array<{ name: string; size: number }>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    found
      .filter(entry => entry.isFile())
      .map(async entry => {
        const path = join(entry.parentPath, entry.name)
        return { name: path.slice(folder.length + 1), size: (await stat(path)).size }
      })
  )
  return files.filter(({ size }) => size > 0).sort((one, other) => (one.name < other.name ? -1 : 1))
}

function byWeight(files: ReadonlyArray<{ name: string; size: number }>, random: Random): string {
  let at = random.below(files.reduce((sum, { size }) => sum + size, 0))
  for (const { name, size } of files) {
    if (at < size) return name
    at -= size
  }
  throw new Error('beyond the last file')
}
