import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../../core/cid/parse.ts'
import type { Blocks, Datastore } from '../../core/index.ts'
import { pinErrors } from './errors.ts'

const FORMAT = 1
const FORMAT_KEY = new Key('/pins/format')

/** The empty UnixFS directory, which every node keeps from its first start (Kubo 0.28, core/node: it is what a new node's name stands for). */
const EMPTY_DIRECTORY = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
const EMPTY_DIRECTORY_BLOCK = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)

/** Checks how the pins are stored; where there never were any, pins the empty directory. @throws E_PINS_FORMAT */
export async function openRepo(datastore: Datastore, blocks: Blocks, pin: (cid: CID) => Promise<void>): Promise<void> {
  if (await datastore.has(FORMAT_KEY)) {
    const format = (await datastore.get(FORMAT_KEY))[0] ?? 0
    if (format !== FORMAT) throw pinErrors.E_PINS_FORMAT(format, FORMAT)
    return
  }
  const cid = parseCid(EMPTY_DIRECTORY)
  await blocks.put(cid, EMPTY_DIRECTORY_BLOCK)
  await pin(cid)
  await datastore.put(FORMAT_KEY, Uint8Array.of(FORMAT))
}
