import test from 'ava'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { type Blocks, blockErrors } from '../../../core/index.ts'
import { itemsUntilError } from '../../helpers/streams.ts'
import { dagHost, type Host, type MapBlocks, upload } from './helpers.ts'

async function put(host: Host, json: string): Promise<string> {
  const { items } = await itemsUntilError<{ Cid: { '/': string } }>(host.call('dag/put', { body: upload(json) }))
  return items[0]!.Cid['/']
}

async function exported(host: Host, root: string, options = {}) {
  const { items, error } = await itemsUntilError<Uint8Array>(host.call('dag/export', { args: [root], options }))
  return { car: Buffer.concat(items), error }
}

/** The blocks of a CAR by where their CIDs stand in it. */
function order(car: Buffer, cids: readonly string[]): string[] {
  const at = (cid: string) => car.indexOf(Buffer.concat([parseCid(cid).bytes, bytesOf.get(cid)!]))
  return cids.filter(cid => at(cid) >= 0).sort((a, b) => at(a) - at(b))
}
const bytesOf = new Map<string, Uint8Array>()

async function graph(host: Host, blocks: MapBlocks) {
  const d = await put(host, '"d"')
  const e = await put(host, '"e"')
  const b = await put(host, JSON.stringify({ list: [{ '/': d }, { deep: { '/': e } }] }))
  const c = await put(host, JSON.stringify([{ '/': d }]))
  const root = await put(host, JSON.stringify({ aa: { '/': b }, b: { '/': c }, cc: { '/': b } }))
  for (const [cid, bytes] of blocks.map) bytesOf.set(cid, bytes)
  return { root, b, c, d, e }
}

test('dag/export writes the blocks depth first, links in the order of the block, each once', async t => {
  const { host, blocks } = await dagHost(t)
  const { root, b, c, d, e } = await graph(host, blocks)
  const { car, error } = await exported(host, root)
  t.is(error, undefined)
  t.deepEqual(order(car, [b, c, d, e, root]), [root, c, d, b, e])
  const bytes = [root, c, d, b, e].reduce((size, cid) => size + 1 + 36 + blocks.map.get(cid)!.length, 0)
  t.true(car.length - bytes < 65)
})

/** As an offline node answers. */
function missing(blocks: MapBlocks, absent: string): void {
  const get: Blocks['get'] = async cid => {
    const text = cidToString(cid)
    const bytes = text === absent ? undefined : blocks.map.get(text)
    if (bytes === undefined) throw blockErrors.E_BLOCK_NOT_FOUND(text)
    return bytes
  }
  blocks.get = get
}

test('dag/export says where the block that is missing stands, after all before it', async t => {
  const { host, blocks } = await dagHost(t)
  const { root, b, c, d, e } = await graph(host, blocks)
  missing(blocks, e)
  const { car, error } = await exported(host, root)
  const where = `error traversing node at "aa/list/1/deep": could not load link "${e}": block was not found locally (offline): ipld: could not find ${e}`
  t.is(error, `${where} (currently offline, perhaps retry after attaching to the network)`)
  t.deepEqual(order(car, [b, c, d, e, root]), [root, c, d, b])
  t.is((await exported(host, root, { offline: true })).error, `${where} (currently offline, perhaps retry without the offline flag)`)
})

test('dag/export of a root that is not here writes nothing', async t => {
  const { host, blocks } = await dagHost(t)
  const { root } = await graph(host, blocks)
  missing(blocks, root)
  await t.throwsAsync(host.call('dag/export', { args: [root] }) as Promise<unknown>, {
    message: `block was not found locally (offline): ipld: could not find ${root}`
  })
})

test('dag/export local-only leaves out blocks that are missing, and what hangs below them alone', async t => {
  const { host, blocks } = await dagHost(t)
  const { root, b, c, d, e } = await graph(host, blocks)
  missing(blocks, b)
  const { car, error } = await exported(host, root, { localOnly: true })
  t.is(error, undefined)
  t.deepEqual(order(car, [b, c, d, e, root]), [root, c, d])
})

test('dag/export local-only ends at an error that is not about a missing block', async t => {
  const { host, blocks } = await dagHost(t)
  const { root, c } = await graph(host, blocks)
  const get = blocks.get.bind(blocks)
  blocks.get = async cid => {
    if (cidToString(cid) === c) throw new Error('the disk is broken')
    return get(cid)
  }
  t.regex((await exported(host, root, { localOnly: true })).error ?? '', /could not load link .*: the disk is broken/)
})

test('dag/export local-only asks no other node, and needs the root', async t => {
  const { host, blocks } = await dagHost(t)
  const { root } = await graph(host, blocks)
  const asked = new Set<boolean | undefined>()
  const get = blocks.get.bind(blocks)
  blocks.get = (cid, options?: { offline?: boolean }) => {
    asked.add(options?.offline)
    return get(cid)
  }
  t.is((await exported(host, root, { localOnly: true })).error, undefined)
  t.deepEqual([...asked], [true])
  missing(blocks, root)
  await t.throwsAsync(host.call('dag/export', { args: [root], options: { localOnly: true } }) as Promise<unknown>, {
    code: 'E_BLOCK_NOT_FOUND'
  })
  await t.throwsAsync(host.call('dag/export', { args: [root], options: { localOnly: true, offline: false } }) as Promise<unknown>, {
    code: 'E_EXPORT_LOCAL'
  })
})
