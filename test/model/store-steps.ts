/** Calls on what lies beside the tree: content, pins, blocks, nodes, names, keys, collections. */
import { collected } from './collected.ts'
import { holdAfterKill, holdBytes, holdNaming, holdStores, holdTree } from './hold.ts'
import { copyOf, EMPTY_DIRECTORY, type File, folder, isFolder, type Model, type ModelEntry, type Naming, V0, V1 } from './model.ts'
import type { Step, StepOf } from './steps.ts'
import { changeTree, isTreeStep } from './tree-steps.ts'
import type { World } from './world.ts'

/** Content up to this size is one leaf. */
const CHUNK = 262_144

async function add(world: World, { content, cidVersion, files, pin, toFiles }: StepOf<'add'>): Promise<void> {
  const { model } = world
  const naming: Naming = cidVersion === 0 ? V0 : V1
  const file = (data: Buffer): File => ({ data, form: data.length > CHUNK ? 'tree' : cidVersion === 1 ? 'raw' : 'inline', naming })
  const datas = Array.from({ length: files }, (_, i) => Buffer.concat([content, Buffer.from(`${i}`)]))
  const entry: ModelEntry =
    files === 0
      ? file(content)
      : folder(
          naming,
          datas.map((data, i) => [`f${i}`, file(data)])
        )
  const parts = files === 0 ? [['file', content] as const] : datas.map((data, i) => [`d/f${i}`, data] as const)
  const into = toFiles && model.folderAt(toFiles.slice(0, -1))
  // Of several files the path would have to be a directory.
  const isLinked = toFiles === undefined || (files === 0 && into !== undefined && !into.entries.has(toFiles.at(-1)!))
  const isPinned = pin && toFiles === undefined
  const options = { cidVersion, pin: isPinned, ...(toFiles === undefined ? {} : { toFiles: `/${toFiles.join('/')}` }) }
  if (files > 0 && toFiles !== undefined) return
  let root = ''
  await world.expect(isLinked, { add: { size: content.length, ...options } }, async () => {
    root = (await world.one<{ Hash: string }>('add', [], options, parts)).Hash
  })
  if (!isLinked) return
  model.known.set(root, { entry, whole: true })
  if (isPinned) model.pins.set(root, { mode: 'recursive', name: '' })
  if (into === undefined || toFiles === undefined) return
  into.entries.set(toFiles.at(-1)!, copyOf(entry))
  world.changed(true)
}

/** One of the CIDs that were seen; of graphs in the tree's form only those that are whole. */
function chosen({ known, blocks, nodes }: Model, which: number): string | undefined {
  const all = [...[...known].filter(([, { whole }]) => whole).map(([cid]) => cid), ...blocks.keys(), ...nodes.keys()]
  return all[which % all.length]
}

/** Whether all below a CID is there, or the block alone. */
function isThere({ known, blocks, nodes }: Model, cid: string, recursive: boolean): boolean {
  const node = nodes.get(cid)
  if (node === undefined) return known.has(cid) || blocks.get(cid)!.there
  return node.there && (!recursive || node.node.links.every(link => blocks.get(link)!.there))
}

async function pinAdd(world: World, { which, recursive, name }: StepOf<'pinAdd'>): Promise<void> {
  const { model } = world
  const cid = chosen(model, which)
  if (cid === undefined) return
  const before = model.pins.get(cid)
  const isDone = isThere(model, cid, recursive) && (recursive || before?.mode !== 'recursive')
  const options = { recursive, offline: true, ...(name === '' ? {} : { name }) }
  await world.expect(isDone, { pinAdd: cid, recursive }, () => world.call('pin/add', [cid], options))
  if (isDone) model.pins.set(cid, { mode: recursive ? 'recursive' : 'direct', name })
}

async function pinRm(world: World, { which, recursive }: StepOf<'pinRm'>): Promise<void> {
  const { model } = world
  const pinned = [...model.pins.keys()].filter(cid => cid !== EMPTY_DIRECTORY)
  const cid = which % 4 === 0 ? chosen(model, which) : pinned[which % pinned.length]
  if (cid === undefined || cid === EMPTY_DIRECTORY) return
  const before = model.pins.get(cid)
  const isDone = before !== undefined && (recursive || before.mode === 'direct')
  await world.expect(isDone, { pinRm: cid, recursive }, () => world.call('pin/rm', [cid], { recursive }))
  if (isDone) model.pins.delete(cid)
}

async function pinUpdate(world: World, { which, other, unpin }: StepOf<'pinUpdate'>): Promise<void> {
  const { model } = world
  const [from, to] = [chosen(model, which), chosen(model, other)]
  if (from === undefined || to === undefined || from === EMPTY_DIRECTORY) return
  const [before, target] = [model.pins.get(from), model.pins.get(to)]
  // A direct pin may stand beside the recursive one then, which no answer tells apart.
  if (target?.mode === 'direct') return
  const isSame = from === to
  const isDone = before?.mode === 'recursive' && (isSame || (target === undefined && isThere(model, to, true)))
  await world.expect(isDone, { pinUpdate: from, to }, () => world.call('pin/update', [from, to], { unpin, offline: true }))
  if (!isDone || isSame) return
  model.pins.set(to, { mode: 'recursive', name: before.name })
  if (unpin) model.pins.delete(from)
}

async function blockPut(world: World, { number, pin }: StepOf<'blockPut'>): Promise<void> {
  const { model } = world
  const data = Buffer.from(`block ${number}`)
  const { Key } = await world.one<{ Key: string }>('block/put', [], { pin }, [['b', data]])
  model.blocks.set(Key, { data, there: true })
  if (pin) model.pins.set(Key, { mode: 'recursive', name: '' })
}

/** Of a block that the tree has no copy is removed: nobody would be told. */
async function blockRm(world: World, { which }: StepOf<'blockRm'>): Promise<void> {
  const { model } = world
  const cids = [...model.blocks.keys()]
  const cid = cids[which % cids.length]
  if (cid === undefined) return
  const block = model.blocks.get(cid)!
  const isPinned = model.isPinned(cid, block.data)
  if (!isPinned && model.keepsBlock(cid, block.data)) return
  if (!isPinned && [...model.known.values()].some(({ entry, whole }) => whole && hasRaw(entry, block.data))) return
  await world.expect(block.there && !isPinned, { blockRm: cid }, () => world.call('block/rm', [cid]))
  if (!isPinned) block.there = false
}

function hasRaw(entry: ModelEntry, data: Buffer): boolean {
  if (!isFolder(entry)) return entry.form === 'raw' && entry.data.equals(data)
  return [...entry.entries.values()].some(inner => hasRaw(inner, data))
}

async function dagPut(world: World, { number, links, pin }: StepOf<'dagPut'>): Promise<void> {
  const { model } = world
  const blocks = [...model.blocks.keys()]
  const chosen = blocks.length === 0 ? [] : links.map(link => blocks[link % blocks.length]!)
  const node = { number, links: chosen.map(cid => ({ '/': cid })) }
  // A pin of what was just stored does not look below it.
  const isPinned = pin && chosen.every(cid => model.blocks.get(cid)!.there)
  const text = JSON.stringify(node)
  const { Cid } = await world.one<{ Cid: { '/': string } }>('dag/put', [], { pin: isPinned }, [['n', Buffer.from(text)]])
  model.nodes.set(Cid['/'], { node: { text, links: chosen }, there: true })
  if (isPinned) model.pins.set(Cid['/'], { mode: 'recursive', name: '' })
}

async function dagGet(world: World, { which }: StepOf<'dagGet'>): Promise<void> {
  const cids = [...world.model.nodes.keys()]
  const cid = cids[which % cids.length]
  if (cid === undefined) return
  const { node, there } = world.model.nodes.get(cid)!
  await world.expect(there, { dagGet: cid }, async () => {
    const found = JSON.parse(Buffer.concat((await world.call('dag/get', [cid], { offline: true })) as Uint8Array[]).toString())
    const expected = JSON.parse(node.text)
    if (found.number !== expected.number || JSON.stringify(found.links) !== JSON.stringify(expected.links))
      throw new Error(`${cid}: ${JSON.stringify(found)} is not ${node.text}`)
  })
}

/** The ID of a key; undefined: there is none. */
async function idOf(world: World, key: string): Promise<string | undefined> {
  if (key !== 'self') return world.model.keys.get(key)
  const { Keys } = await world.one<{ Keys: Array<{ Name: string; Id: string }> }>('key/list')
  return Keys.find(({ Name }) => Name === 'self')!.Id
}

async function publish(world: World, { key, which }: StepOf<'publish'>): Promise<void> {
  const id = await idOf(world, key)
  const path = `/ipfs/${chosen(world.model, which) ?? EMPTY_DIRECTORY}`
  const options = { key, allowOffline: true, resolve: false }
  await world.expect(id !== undefined, { publish: key, path }, () => world.call('name/publish', [path], options))
  if (id !== undefined) world.model.names.set(id, path)
}

async function resolve(world: World, { key }: StepOf<'resolve'>): Promise<void> {
  const id = await idOf(world, key)
  if (id === undefined) return
  const path = world.model.names.get(id) ?? (key === 'self' ? `/ipfs/${EMPTY_DIRECTORY}` : undefined)
  await world.expect(path !== undefined, { resolve: key }, async () => {
    const { Path } = await world.one<{ Path: string }>('name/resolve', [id], { offline: true })
    if (Path !== path) throw new Error(`the name of ${key} leads to ${Path}, not ${path}`)
  })
}

async function keyGen(world: World, { key }: StepOf<'keyGen'>): Promise<void> {
  const { keys } = world.model
  await world.expect(!keys.has(key), { keyGen: key }, async () => {
    keys.set(key, (await world.one<{ Id: string }>('key/gen', [key])).Id)
  })
}

async function keyRename(world: World, { key, to, force }: StepOf<'keyRename'>): Promise<void> {
  const { keys } = world.model
  const id = keys.get(key)
  const isDone = id !== undefined && to !== 'self' && (key === to || force || !keys.has(to))
  await world.expect(isDone, { keyRename: key, to }, () => world.call('key/rename', [key, to], { force }))
  if (!isDone) return
  keys.delete(key)
  keys.set(to, id)
}

async function keyRm(world: World, { key }: StepOf<'keyRm'>): Promise<void> {
  await world.expect(world.model.keys.has(key), { keyRm: key }, () => world.call('key/rm', [key]))
  world.model.keys.delete(key)
}

async function stat(world: World, { path }: StepOf<'stat'>): Promise<void> {
  const there = world.model.at(path)
  const at = `/${path.join('/')}`
  await world.expect(there !== undefined, { stat: path }, async () => {
    const { Hash, Size, Type } = await world.one<{ Hash: string; Size: number | bigint; Type: string }>('files/stat', [at])
    if (there === undefined) return
    const [type, size] = isFolder(there) ? ['directory', 0] : ['file', there.data.length]
    if (Type !== type || Number(Size) !== size) throw new Error(`${at}: is a ${Type} of ${Size} bytes, not a ${type} of ${size}`)
    holdNaming(at, Hash, there)
    world.model.known.set(Hash, { entry: copyOf(there), whole: true })
  })
}

async function read(world: World, { path, offset, count }: StepOf<'read'>): Promise<void> {
  const there = world.model.at(path)
  const data = there === undefined || isFolder(there) ? undefined : there.data
  const isDone = data !== undefined && offset >= 0 && offset <= data.length && (count ?? 0) >= 0
  const options = { offset: BigInt(offset), ...(count === undefined ? {} : { count: BigInt(count) }) }
  const at = `/${path.join('/')}`
  await world.expect(isDone, { read: path, ...{ offset, count } }, async () => {
    const pieces = await world.call('files/read', [at], options)
    if (data !== undefined) await holdBytes(at, data.subarray(offset, count === undefined ? undefined : offset + count), pieces)
  })
}

async function gc(world: World): Promise<void> {
  await world.call('repo/gc')
  await collected(world)
}

async function check(world: World): Promise<void> {
  await holdTree(world)
  await holdStores(world)
}

async function reopen(world: World): Promise<void> {
  await world.stop()
  await world.start()
  world.changed(true)
}

async function kill(world: World): Promise<void> {
  await world.kill()
  await world.start()
  await holdAfterKill(world)
}

type OtherStep = Exclude<Step['kind'], Parameters<typeof changeTree>[1]['kind']>

const others: { [K in OtherStep]: (world: World, step: StepOf<K>) => Promise<void> } = {
  add,
  pinAdd,
  pinRm,
  pinUpdate,
  blockPut,
  blockRm,
  dagPut,
  dagGet,
  publish,
  resolve,
  keyGen,
  keyRename,
  keyRm,
  stat,
  read,
  gc,
  check,
  reopen,
  kill
}

export async function play(world: World, step: Step): Promise<void> {
  if (isTreeStep(step)) return changeTree(world, step)
  const act = others[step.kind] as (world: World, step: Step) => Promise<void>
  await act(world, step)
}
