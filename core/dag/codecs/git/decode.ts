import type { CID } from 'multiformats/cid'
import { cidOfDigest } from '../../../cid/sum.ts'
import { parseInteger } from '../../../go/number.ts'
import { decodeUtf8 } from '../../../go/utf8.ts'
import { dagErrors } from '../../errors.ts'
import { ABSENT, type Node, Typed } from '../../model.ts'
import { MAX_VALUES } from '../json/decode.ts'

export const GIT_RAW = 0x78
const SHA1 = 0x11
const SHA1_SIZE = 20
const NEWLINE = 0x0a
/** An entry of a tree is a map with a text and a link, under a key: reading and writing it takes as long as so many lines. */
const ENTRY_VALUES = 4
const SIGNATURE_END = ' -----END PGP SIGNATURE-----'

type Fields = Record<string, Node>

/**
 * Reads a git object with its header, e.g. `tree 37\0…` (Kubo 0.28 with go-ipld-git). A blob is its bytes, header and all.
 *
 * @param maxValues - so that a few bytes each do not fill the memory: a line is one, and so is the message of a commit or tag; an entry of a
 *   tree is four
 * @throws E_UNEXPECTED_EOF, E_GIT_…, E_NUMBER_…
 */
export function decodeGit(bytes: Uint8Array, maxValues: number = MAX_VALUES): Node {
  const reader = new GitReader(bytes, maxValues)
  const type = reader.until(0x20)
  const size = Number(parseInteger(reader.until(0), 63, true, 10))
  switch (type) {
    case 'blob':
      if (reader.left !== size) throw dagErrors.E_GIT_BLOB_SIZE()
      return bytes
    case 'tree':
      return tree(reader)
    case 'commit':
      return commit(reader)
    case 'tag':
      return tag(reader)
    default:
      throw dagErrors.E_GIT_TYPE(type)
  }
}

class GitReader {
  readonly #bytes: Uint8Array
  readonly #maxValues: number
  #values = 0
  #at = 0

  constructor(bytes: Uint8Array, maxValues: number) {
    this.#bytes = bytes
    this.#maxValues = maxValues
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  /** The text before the next `byte`, which is passed. */
  until(byte: number): string {
    const end = this.#bytes.indexOf(byte, this.#at)
    if (end < 0) throw dagErrors.E_UNEXPECTED_EOF()
    const text = decodeUtf8(this.#bytes.subarray(this.#at, end))
    this.#at = end + 1
    return text
  }

  take(size: number): Uint8Array {
    if (this.left < size) throw dagErrors.E_UNEXPECTED_EOF()
    this.#at += size
    return this.#bytes.subarray(this.#at - size, this.#at)
  }

  /** The next line without its end; undefined behind the last one. */
  line(): string | undefined {
    if (this.left === 0) return undefined
    this.count()
    const end = this.#bytes.indexOf(NEWLINE, this.#at)
    const line = decodeUtf8(this.take(end < 0 ? this.left : end - this.#at))
    if (end >= 0) this.#at++
    return line
  }

  /** @throws E_GIT_VALUES where these are too many */
  count(values = 1): void {
    this.#values += values
    if (this.#values > this.#maxValues) throw dagErrors.E_GIT_VALUES(this.#maxValues)
  }

  remaining(): string {
    return decodeUtf8(this.take(this.left))
  }
}

function tree(reader: GitReader): Node {
  const entries = new Map<string, Node>()
  while (reader.left > 0) {
    reader.count(ENTRY_VALUES)
    const mode = reader.until(0x20)
    const name = reader.until(0)
    entries.set(name, typed('TreeEntry', { mode, hash: linkTo(reader.take(SHA1_SIZE)) }))
  }
  return new Typed('ipldgit.Tree', entries)
}

function commit(reader: GitReader): Node {
  const parents: Node[] = []
  const mergetag: Node[] = []
  const other: Node[] = []
  const fields: Fields = {
    tree: ABSENT,
    parents,
    message: '',
    author: ABSENT,
    committer: ABSENT,
    encoding: ABSENT,
    signature: ABSENT,
    mergetag,
    other
  }
  for (let line = reader.line(); line !== undefined; line = reader.line()) {
    if (line.startsWith('mergetag object ')) line = mergeTag(line.slice(16), reader, mergetag) ?? ''
    else if (line === '') fields['message'] = reader.remaining()
    if (line === '') continue
    const [word, value] = splitWord(line)
    if (word === 'tree') fields['tree'] = linkToHex(value)
    else if (word === 'parent') parents.push(linkToHex(value))
    else if (word === 'author' || word === 'committer') fields[word] = person(line)
    else if (word === 'encoding') fields['encoding'] = value
    else if (word === 'gpgsig') fields['signature'] = signature(reader)
    else other.push(line)
  }
  return typed('Commit', fields)
}

/** A tag inside a commit, each of its lines behind a space. Answers the first line that is not its own. */
function mergeTag(object: string, reader: GitReader, into: Node[]): string | undefined {
  const fields: Fields = { object: linkToHex(object), type: '', tag: '', tagger: ABSENT, message: '' }
  let next: string | undefined
  for (let line = reader.line(); line !== undefined; line = reader.line()) {
    if (!line.startsWith(' ')) {
      next = line
      break
    }
    if (line !== ' ') {
      tagLine(line.slice(1), fields)
      continue
    }
    let message = ''
    for (next = reader.line(); next?.startsWith(' '); next = reader.line()) message += `${next}\n`
    fields['message'] = message
    break
  }
  into.push(typed('Tag', fields))
  return next
}

function tag(reader: GitReader): Node {
  const fields: Fields = { object: ABSENT, type: '', tag: '', tagger: ABSENT, message: '' }
  for (let line = reader.line(); line !== undefined; line = reader.line()) {
    if (line === '') fields['message'] = reader.remaining()
    else if (line.startsWith('object ')) fields['object'] = linkToHex(line.slice(7))
    else tagLine(line, fields)
  }
  return typed('Tag', fields)
}

function tagLine(line: string, fields: Fields): void {
  const [word, value] = splitWord(line)
  if (word === 'type' || word === 'tag') fields[word] = value
  else if (word === 'tagger') fields['tagger'] = person(line)
}

function signature(reader: GitReader): string {
  const first = reader.line()
  if (first !== ' ' && !first?.startsWith(' Version: ') && !first?.startsWith(' Comment: ')) throw dagErrors.E_GIT_SIGNATURE()
  let text = `${first}\n`
  for (let line = reader.line(); line !== SIGNATURE_END; line = reader.line()) {
    if (line === undefined) throw dagErrors.E_UNEXPECTED_EOF()
    text += `${line}\n`
  }
  return text
}

/** `author A Name <mail@example> 1503667703 +0200`. */
function person(line: string): Node {
  const start = line.indexOf(' ') + 1
  const open = line[start] === '<' ? start : line.indexOf(' <', start) + 1
  const close = open === 0 ? -1 : line.indexOf('>', open)
  if (close < 0) throw dagErrors.E_GIT_PERSON(line)
  const [, date = '', timezone = ''] = /^(?: (\S*))?(?: (\S*))?/.exec(line.slice(close + 1))!
  return typed('PersonInfo', { date, timezone, email: line.slice(open + 1, close), name: line.slice(start, Math.max(start, open - 1)) })
}

function splitWord(line: string): [string, string] {
  const at = line.indexOf(' ')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}

function linkToHex(text: string): CID {
  if (!/^[0-9a-f]{40}$/i.test(text)) throw dagErrors.E_GIT_HEX(text)
  return linkTo(Buffer.from(text, 'hex'))
}

function linkTo(sha: Uint8Array): CID {
  return cidOfDigest(1, GIT_RAW, SHA1, sha)
}

function typed(type: string, fields: Fields): Typed {
  return new Typed(`ipldgit.${type}`, new Map(Object.entries(fields)))
}
