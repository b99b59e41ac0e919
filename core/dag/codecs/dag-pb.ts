/** The codec of dag-pb: nodes that `core/dag/pb.ts` reads as values of the data model, and such values as nodes that `core/dag/pb-write.ts` writes. */
import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../../cid/codes.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import type { Codec, EncodeOptions } from '../../services/content/dag.ts'
import { dagErrors } from '../errors.ts'
import { ABSENT, kindOf, MAX_INT64, type Node, type Plain, plain, Typed, typeName } from '../model.ts'
import { DEFAULT_LIMIT } from '../output.ts'
import { type PbLink, type PbNode, pbLinks, readPb } from '../pb.ts'
import { writePb } from '../pb-write.ts'
import { bytesOf } from './raw.ts'

/**
 * `dag-pb` (0x70) as a data-model value: a map of `Links`, a list of maps of `Hash`, `Name` and `Tsize`, and `Data`
 * (go-codec-dagpb 1.6).
 */
export const dagPb: Codec = {
  name: 'dag-pb',
  code: DAG_PB,
  decode: bytes => pbValue(readPb(bytes)),
  parse: bytes => pbPlain(readPb(bytes)),
  encode: encodePb,
  links: pbLinks
}

/** A stored node: its schema's types, optional fields that are not there as {@link ABSENT}. */
function pbValue({ links, data }: PbNode): Node {
  const list = links.map(({ cid, name, tsize }) => {
    const size = tsize === undefined ? ABSENT : new Typed('dagpb.Int', signed(tsize))
    const fields: Array<[string, Node]> = [
      ['Hash', new Typed('dagpb.Link', cid)],
      ['Name', name === undefined ? ABSENT : new Typed('dagpb.String', name)],
      ['Tsize', size]
    ]
    return new Typed('dagpb.PBLink', new Map(fields))
  })
  const fields: Array<[string, Node]> = [
    ['Links', new Typed('dagpb.PBLinks', list)],
    ['Data', data === undefined ? ABSENT : new Typed('dagpb.Bytes', data)]
  ]
  return new Typed('dagpb.PBNode', new Map(fields))
}

/** The same without types: only what is there, in the order of the block. */
function pbPlain({ links, data, dataFirst }: PbNode): Node {
  const node = new Map<string, Node>()
  if (dataFirst && data !== undefined) node.set('Data', data)
  node.set('Links', links.map(plainLink))
  if (!dataFirst && data !== undefined) node.set('Data', data)
  return node
}

function plainLink({ cid, name, tsize }: PbLink): Node {
  const link = new Map<string, Node>([['Hash', cid]])
  if (name !== undefined) link.set('Name', name)
  if (tsize !== undefined) link.set('Tsize', signed(tsize))
  return link
}

function signed(size: number | bigint): bigint {
  return BigInt.asIntN(64, BigInt(size))
}

function encodePb(node: Node, { limit }: EncodeOptions = {}): Uint8Array {
  return writeSorted(fieldsOf(node), limit)
}

/** The block of a node: links sorted by their names' bytes, then the data. @throws E_PB_LINK_TSIZE, E_ENCODED_TOO_LARGE */
export function writeSorted({ links = [], data }: Fields, limit: number = DEFAULT_LIMIT): Uint8Array {
  for (const { tsize } of links) if (tsize !== undefined && tsize < 0) throw dagErrors.E_PB_LINK_TSIZE(BigInt(tsize))
  const named = links.map(({ cid, name, tsize }) => ({
    cid: cid.bytes,
    name: name === undefined ? undefined : encodeUtf8(name),
    size: tsize
  }))
  named.sort((a, b) => Buffer.compare(a.name ?? NO_NAME, b.name ?? NO_NAME))
  return writePb(named, data, limit)
}

const NO_NAME = Buffer.alloc(0)

interface Fields {
  links?: PbLink[]
  data?: Uint8Array | undefined
}

/** Takes a value as a node of the schema, entry by entry in its order, as `AssignNode` and `Finish` do. */
function fieldsOf(node: Node): Fields {
  const fields: Fields = {}
  for (const [key, value] of entriesOf(node, 'dagpb.PBNode')) {
    if (key !== 'Links' && key !== 'Data') throw dagErrors.E_MAP_KEY_INVALID('dagpb.PBNode', key)
    if (value === ABSENT) continue
    if (key === 'Links') fields.links = linkList(value)
    else fields.data = bytesOf(notNull(value, 'dagpb.Bytes', 'bytes'))
  }
  if (fields.links === undefined) throw dagErrors.E_FIELDS_MISSING('Links')
  return fields
}

function linkList(node: Node): PbLink[] {
  const value = plain(notNull(node, 'dagpb.PBLinks', 'list'))
  if (!Array.isArray(value)) throw dagErrors.E_WRONG_KIND('AssignNode', 'dagpb.PBLinks', kindOf(node), 'list')
  return value.map(linkOf)
}

function linkOf(node: Node): PbLink {
  let cid: CID | undefined
  let name: string | undefined
  let tsize: bigint | undefined
  for (const [key, value] of entriesOf(node, 'dagpb.PBLink')) {
    if (value === ABSENT) continue
    if (key === 'Hash') cid = as('AsLink', 'link', notNull(value, 'dagpb.Link', 'link')) as CID
    else if (key === 'Name') name = as('AsString', 'string', notNull(value, 'dagpb.String', 'string')) as string
    else if (key === 'Tsize') tsize = as('AsInt', 'int', notNull(value, 'dagpb.Int', 'int')) as bigint
    else throw dagErrors.E_MAP_KEY_INVALID('dagpb.PBLink', key)
  }
  if (cid === undefined) throw dagErrors.E_FIELDS_MISSING('Hash')
  if (tsize !== undefined && tsize > MAX_INT64) throw dagErrors.E_UINT_RANGE()
  return { cid, name, tsize }
}

function entriesOf(node: Node, type: string): Map<string, Node> {
  const value = plain(notNull(node, type, 'map'))
  if (value instanceof Map) return value
  throw dagErrors.E_WRONG_KIND('AssignNode', type, kindOf(node), 'map')
}

function notNull(node: Node, type: string, kind: string): Node {
  if (plain(node) === null) throw dagErrors.E_WRONG_KIND('AssignNull', type, kind, 'null')
  return node
}

function as(method: string, kind: string, node: Node): Plain {
  if (kindOf(node) === kind) return plain(node)
  throw dagErrors.E_WRONG_KIND(method, typeName(node), kindOf(node), kind)
}
