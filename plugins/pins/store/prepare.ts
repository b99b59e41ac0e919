import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../../../core/cid/parse.ts'
import { type Blocks, type Datastore, PINS_FORMAT } from '../../../core/index.ts'
import { pinErrors } from '../errors.ts'

const FORMAT = 1
const FORMAT_KEY = new Key(PINS_FORMAT)

/** The empty UnixFS directory, which every node keeps from its first start (Kubo 0.28, core/node: it is what a new node's name stands for). */
const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const EMPTY_DIRECTORY_BLOCK = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)

/** The treatment of the pin of a first start. */
interface FirstPin {
  add(cid: CID): Promise<void>
  /** Whether the CID is pinned, and its block is missing. */
  lacks(cid: CID): Promise<boolean>
}

/**
 * Checks how the pins are stored; where there never were any, pins the empty directory. Its block is put where it is missing, as in a blockstore
 * that took the place of another in a new repo.
 *
 * @throws E_PINS_FORMAT
 */
export async function preparePins(datastore: Datastore, blocks: Blocks, pins: FirstPin): Promise<void> {
  const cid = parseCid(EMPTY_DIRECTORY)
  if (!(await datastore.has(FORMAT_KEY))) {
    await blocks.put(cid, EMPTY_DIRECTORY_BLOCK)
    await pins.add(cid)
    await datastore.put(FORMAT_KEY, Uint8Array.of(FORMAT))
    return
  }
  const format = (await datastore.get(FORMAT_KEY))[0] ?? 0
  if (format !== FORMAT) throw pinErrors.E_PINS_FORMAT(format, FORMAT)
  if (!(await pins.lacks(cid))) return
  await blocks.put(cid, EMPTY_DIRECTORY_BLOCK)
  await pins.add(cid)
}
