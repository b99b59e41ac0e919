/** Holds a node against the model. */
import { CID } from 'multiformats/cid'
import { hashByName } from '../../core/cid/hashes.ts'
import { copyOf, type Folder, isFolder, type ModelEntry, type Naming } from './model.ts'
import type { World } from './world.ts'

const RAW = 0x55

export function codeOf(hash: string): number {
  return hashByName(hash)!
}

interface Line {
  readonly Name: string
  readonly Type: number
  readonly Size: number | bigint
  readonly Hash: string
}

/** Everything in the tree is as in the model, each file read to its end. @throws for the first that is not */
export async function holdTree(world: World, root: Folder = world.model.root): Promise<void> {
  const { Hash, Local } = await world.one<{ Hash: string; Local?: boolean }>('files/stat', ['/'], { withLocal: true })
  if (Local !== true) throw new Error('/: blocks of the tree are missing')
  holdNaming('/', Hash, root)
  world.model.known.set(Hash, { entry: copyOf(root), whole: true })
  await holdFolder(world, '', root)
}

async function holdFolder(world: World, path: string, { entries }: Folder): Promise<void> {
  const found = ((await world.one<{ Entries: Line[] | null }>('files/ls', [`${path}/`], { long: true })).Entries ?? []).sort(byName)
  const expected = [...entries.keys()].sort()
  if (found.map(({ Name }) => Name).join() !== expected.join())
    throw new Error(`${path}/: holds ${found.map(({ Name }) => Name)}, not ${expected}`)
  for (const { Name, Type, Size, Hash } of found) {
    const entry = entries.get(Name)!
    const at = `${path}/${Name}`
    holdNaming(at, Hash, entry)
    if ((Type === 1) !== isFolder(entry)) throw new Error(`${at}: is of type ${Type}`)
    if (isFolder(entry)) await holdFolder(world, at, entry)
    else if (Number(Size) !== entry.data.length) throw new Error(`${at}: says that it has ${Size} bytes, and has ${entry.data.length}`)
    else await holdBytes(at, entry.data, await world.call('files/read', [at]))
  }
}

function byName(a: Line, b: Line): number {
  return a.Name < b.Name ? -1 : 1
}

export async function holdBytes(at: string, expected: Buffer, pieces: readonly unknown[]): Promise<void> {
  const found = Buffer.concat(pieces as Uint8Array[])
  if (found.equals(expected)) return
  const first = found.findIndex((byte, i) => byte !== expected[i])
  throw new Error(`${at}: the ${found.length} bytes are not the ${expected.length} that were written, from ${first} on`)
}

/** @throws for a CID that is not made as it should be */
export function holdNaming(at: string, cid: string, entry: { naming: Naming | undefined; form?: string }): void {
  const { version, code, multihash } = CID.parse(cid)
  const { naming } = entry
  if (naming !== undefined && (version !== naming.version || multihash.code !== naming.hash))
    throw new Error(`${at}: its CID ${cid} is not of version ${naming.version} and hash ${naming.hash}`)
  if ((code === RAW) !== (entry.form === 'raw')) throw new Error(`${at}: its codec is ${code}`)
}

/** A node that was killed has the tree as it was after some change, and none before the last that it acknowledged as kept. */
export async function holdAfterKill(world: World): Promise<void> {
  const { model } = world
  let failure: unknown
  for (const root of model.unkept.toReversed()) {
    try {
      await holdTree(world, root)
      model.root = copyOf(root)
      world.changed(true)
      return
    } catch (error) {
      failure ??= error
    }
  }
  throw new Error(`the tree is none of the ${model.unkept.length} that it may be: ${(failure as Error).message}`)
}

/** Pins, keys, names and blocks, and that what is pinned can be read. */
export async function holdStores(world: World): Promise<void> {
  const { model } = world
  const pins: string[] = []
  for (const mode of ['direct', 'recursive']) {
    const { Keys = {} } = await world.one<{ Keys?: Record<string, { Name: string }> }>('pin/ls', [], { type: mode, names: true })
    for (const [cid, { Name }] of Object.entries(Keys)) pins.push(`${cid} ${mode} ${Name}`)
  }
  same(
    'pins',
    pins,
    [...model.pins].map(([cid, { mode, name }]) => `${cid} ${mode} ${name}`)
  )
  for (const [cid, { mode }] of model.pins) {
    if (mode === 'recursive') await world.call('refs', [cid], { recursive: true, offline: true })
    else await world.call('block/stat', [cid], { offline: true })
    const known = model.known.get(cid)
    if (known !== undefined && mode === 'recursive') await holdContent(world, `/ipfs/${cid}`, known.entry)
  }
  for (const [cid, { there }] of [...model.blocks, ...model.nodes]) {
    const isThere = await world.call('block/stat', [cid], { offline: true }).then(
      () => true,
      () => false
    )
    if (isThere !== there) throw new Error(`the block ${cid} is ${isThere ? '' : 'not '}there`)
  }
  const { Keys } = await world.one<{ Keys: Array<{ Name: string; Id: string }> }>('key/list')
  const keys = Keys.filter(({ Name }) => Name !== 'self').map(({ Name, Id }) => `${Name} ${Id}`)
  same(
    'keys',
    keys,
    [...model.keys].map(([name, id]) => `${name} ${id}`)
  )
  for (const [id, path] of model.names) {
    const { Path } = await world.one<{ Path: string }>('name/resolve', [id])
    if (Path !== path) throw new Error(`the name ${id} leads to ${Path}, not ${path}`)
  }
}

async function holdContent(world: World, path: string, entry: ModelEntry): Promise<void> {
  if (!isFolder(entry)) return holdBytes(path, entry.data, await world.call('cat', [path], { offline: true }))
  for (const [name, inner] of entry.entries) await holdContent(world, `${path}/${name}`, inner)
}

function same(what: string, found: readonly string[], expected: readonly string[]): void {
  const [is, shouldBe] = [[...found].sort().join('\n'), [...expected].sort().join('\n')]
  if (is !== shouldBe) throw new Error(`the ${what} are\n${is}\nand should be\n${shouldBe}`)
}
