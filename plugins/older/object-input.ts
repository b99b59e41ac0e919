import { parseCid } from '../../core/cid/parse.ts'
import { PREFIX_V0, type ProtoLink, type ProtoNode, protoNodeOf } from '../../core/dag/proto-node.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'
import { messageOf } from '../../core/index.ts'
import { olderErrors } from './errors.ts'

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A dag-pb block as a node whose CID has version 0. @throws E_PB_… */
export function nodeOfBlock(block: Uint8Array): ProtoNode {
  return protoNodeOf(block, PREFIX_V0)
}

/**
 * A node out of `{"Data": "…", "Links": [{"Name", "Hash", "Size"}]}`.
 *
 * @throws E_OBJECT_INPUT, E_OBJECT_FIELD, E_OBJECT_EMPTY, E_DATA_ENCODING, E_CID_…
 */
export function nodeOfJson(text: Uint8Array, dataEncoding: string): ProtoNode {
  const { Data = '', Links = [] } = fields(parsed(text), ['Data', 'Links'], 'the object')
  if (typeof Data !== 'string') throw olderErrors.E_OBJECT_INPUT('Data is no text')
  if (!Array.isArray(Links)) throw olderErrors.E_OBJECT_INPUT('Links is no list')
  if (Data === '' && Links.length === 0) throw olderErrors.E_OBJECT_EMPTY()
  return { links: Links.map(linkOf), data: bytesOf(Data, dataEncoding), prefix: PREFIX_V0 }
}

function parsed(text: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(text))
  } catch (error) {
    throw olderErrors.E_OBJECT_INPUT(messageOf(error))
  }
}

function linkOf(link: unknown): ProtoLink {
  const { Name = '', Hash = '', Size = 0 } = fields(link, ['Name', 'Hash', 'Size'], 'a link')
  if (typeof Name !== 'string' || typeof Hash !== 'string') throw olderErrors.E_OBJECT_INPUT('Name or Hash of a link is no text')
  if (typeof Size !== 'number' || !Number.isSafeInteger(Size) || Size < 0)
    throw olderErrors.E_OBJECT_INPUT('Size of a link is no count of bytes')
  return { name: Name, cid: parseCid(Hash), size: BigInt(Size) }
}

/** Members of an object by these names, which Go finds whatever their case. null is as good as nothing. */
function fields(value: unknown, names: readonly string[], what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw olderErrors.E_OBJECT_INPUT(`${what} is no JSON object`)
  const found: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    const name = names.find(name => name.toLowerCase() === key.toLowerCase())
    if (name === undefined) throw olderErrors.E_OBJECT_FIELD(key)
    if (member !== null) found[name] = member
  }
  return found
}

function bytesOf(data: string, encoding: string): Uint8Array {
  if (encoding === 'text') return encodeUtf8(data)
  if (encoding !== 'base64') throw olderErrors.E_DATA_ENCODING()
  // lines of base64 may be broken anywhere
  if (!BASE64.test(data.replaceAll(/[\r\n]/g, ''))) throw olderErrors.E_OBJECT_INPUT('Data is no base64')
  return Buffer.from(data, 'base64')
}
