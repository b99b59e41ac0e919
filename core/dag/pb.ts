import type { CID } from 'multiformats/cid'
import { readCid } from '../cid/parse.ts'
import { dagErrors } from '../errors/dag.ts'
import { messageOf } from '../errors.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import type { Link } from '../services/dag.ts'
import { LENGTH_DELIMITED, ProtobufReader, VARINT } from './protobuf.ts'

/** A link of a dag-pb node as its block has it. */
export interface PbLink {
  readonly cid: CID
  readonly name: string | undefined
  /** An unsigned 64-bit number; a `bigint` beyond 2^53. */
  readonly tsize: number | bigint | undefined
}

/** A dag-pb node as its block has it. */
export interface PbNode {
  readonly links: readonly PbLink[]
  readonly data: Uint8Array | undefined
  /** Whether the data stand before the links, as some old blocks have it. */
  readonly dataFirst: boolean
}

/** Links of a node that is read whole, each of which takes 700 bytes of memory: as many as fit into 2 MiB. */
export const MOST_LINKS = 262_144

/**
 * Reads a dag-pb block in one pass (go-codec-dagpb 1.6). The data are a view of the block, the links' CIDs are copies.
 *
 * @throws E_UNEXPECTED_EOF, E_PB_…
 */
export function readPb(bytes: Uint8Array): PbNode {
  const wire = new ProtobufReader(bytes)
  const links: PbLink[] = []
  let data: Uint8Array | undefined
  let dataFirst = false
  let linksOver = false
  while (wire.at < wire.end) {
    const tag = wire.tag()
    const field = Math.floor(tag / 8)
    if (tag % 8 !== LENGTH_DELIMITED) throw dagErrors.E_PB_NODE_WIRE(tag % 8)
    if (field === 1) {
      if (data !== undefined) throw dagErrors.E_PB_NODE_DUPLICATE('Data')
      const end = wire.delimited()
      data = bytes.subarray(wire.at, end)
      wire.at = end
      if (links.length === 0) dataFirst = true
      else linksOver = true
    } else if (field === 2) {
      const end = wire.delimited()
      if (linksOver) throw dagErrors.E_PB_NODE_DUPLICATE('Links')
      if (links.length === MOST_LINKS) throw dagErrors.E_PB_LINKS(MOST_LINKS)
      links.push(readLink(new ProtobufReader(bytes, wire.at, end)))
      wire.at = end
    } else throw dagErrors.E_PB_NODE_FIELD(field)
  }
  return { links, data, dataFirst }
}

function readLink(wire: ProtobufReader): PbLink {
  let cid: CID | undefined
  let name: string | undefined
  let tsize: number | bigint | undefined
  while (wire.at < wire.end) {
    const tag = wire.tag()
    const type = tag % 8
    switch (Math.floor(tag / 8)) {
      case 1: {
        checkOrder('Hash', cid !== undefined, name !== undefined ? 'Name' : tsize !== undefined ? 'Tsize' : undefined)
        if (type !== LENGTH_DELIMITED) throw dagErrors.E_PB_LINK_WIRE(type, 'Hash')
        const end = wire.delimited()
        cid = linkCid(wire.bytes.subarray(wire.at, end))
        wire.at = end
        break
      }
      case 2: {
        checkOrder('Name', name !== undefined, tsize !== undefined ? 'Tsize' : undefined)
        if (type !== LENGTH_DELIMITED) throw dagErrors.E_PB_LINK_WIRE(type, 'Name')
        const end = wire.delimited()
        name = decodeUtf8(wire.bytes.subarray(wire.at, end))
        wire.at = end
        break
      }
      case 3:
        checkOrder('Tsize', tsize !== undefined, undefined)
        if (type !== VARINT) throw dagErrors.E_PB_LINK_WIRE(type, 'Tsize')
        tsize = wire.varint()
        break
      default:
        throw dagErrors.E_PB_LINK_FIELD(Math.floor(tag / 8))
    }
  }
  if (cid === undefined) throw dagErrors.E_PB_LINK_HASH()
  return { cid, name, tsize }
}

function checkOrder(field: string, twice: boolean, after: string | undefined): void {
  if (twice) throw dagErrors.E_PB_LINK_DUPLICATE(field)
  if (after !== undefined) throw dagErrors.E_PB_LINK_ORDER(after, field)
}

/** A copy, as a link outlives its block in queues and sets. */
function linkCid(bytes: Uint8Array): CID {
  try {
    return readCid(bytes.slice())
  } catch (error) {
    throw dagErrors.E_PB_LINK_HASH(messageOf(error))
  }
}

/** The links of a dag-pb block, without its data. */
export function pbLinks(bytes: Uint8Array): Link[] {
  const { links } = readPb(bytes)
  return links.map(({ cid, name = '', tsize }) => (tsize === undefined ? { cid, name } : { cid, name, size: tsize }))
}
