import type { CID } from 'multiformats/cid'
import { messageOf } from '../../../errors.ts'
import { encodeUtf8 } from '../../../go/utf8.ts'
import { dagErrors } from '../../errors.ts'
import { ABSENT, type Kind, kindOf, type Node, plain, Typed, typeName } from '../../model.ts'

type Fields = ReadonlyMap<string, Node>

/** Fields of a type and their kinds; `?` marks those that may be left out. */
const COMMIT = {
  tree: 'link',
  parents: 'list',
  message: 'string',
  author: 'map?',
  committer: 'map?',
  encoding: 'string?',
  signature: 'string?',
  mergetag: 'list',
  other: 'list'
}
const TAG = { object: 'link', type: 'string', tag: 'string', tagger: 'map', message: 'string' }
const PERSON = { date: 'string', timezone: 'string', email: 'string', name: 'string' }
const ENTRY = { mode: 'string', hash: 'link' }

/** Writes a git object with its header (Kubo 0.28 with go-ipld-git). Bytes are a whole blob. */
export function encodeGit(node: Node): Uint8Array {
  const value = plain(node)
  if (value instanceof Uint8Array) return value
  if (!(value instanceof Map)) throw dagErrors.E_GIT_TYPE(kindOf(node))
  if (isTree(value)) return withHeader('tree', Buffer.concat([...value].map(treeEntry)))
  if (value.has('object')) return withHeader('tag', encodeUtf8(tag(node)))
  try {
    return withHeader('commit', encodeUtf8(commit(node)))
  } catch (error) {
    throw dagErrors.E_GIT_COMMIT(goType(node), messageOf(error))
  }
}

function withHeader(type: string, content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
}

function isTree(value: Fields): boolean {
  return value.size > 0 && [...value.values()].every(entry => kindOf(entry) === 'map' && (plain(entry) as Fields).has('hash'))
}

function treeEntry([name, node]: [string, Node]): Buffer {
  const entry = read(node, 'ipldgit.TreeEntry', ENTRY)
  return Buffer.concat([encodeUtf8(`${entry('mode')} ${name}\0`), (plain(entry('hash')) as CID).multihash.digest])
}

function commit(node: Node): string {
  const field = read(node, 'ipldgit.Commit.Repr', COMMIT)
  const line = (word: string, text: string | undefined) => (text === undefined ? '' : `${word} ${text}\n`)
  const signature = textOf(field('signature'))
  return [
    line('tree', sha(field('tree'))),
    ...listOf(field('parents')).map(parent => line('parent', sha(parent))),
    line('author', person(field('author'))),
    line('committer', person(field('committer'))),
    line('encoding', textOf(field('encoding'))),
    ...listOf(field('mergetag')).map(mergeTag),
    signature === undefined ? '' : `gpgsig -----BEGIN PGP SIGNATURE-----\n${signature} -----END PGP SIGNATURE-----\n`,
    ...listOf(field('other')).map(other => `${textOf(other)}\n`),
    `\n${textOf(field('message'))}`
  ].join('')
}

function mergeTag(node: Node): string {
  const field = read(node, 'ipldgit.Tag', TAG)
  const lines = [`mergetag object ${sha(field('object'))}`, ` type ${textOf(field('type'))}`, ` tag ${textOf(field('tag'))}`]
  return `${lines.join('\n')}\n tagger ${person(field('tagger'))}\n \n${textOf(field('message'))}`
}

function tag(node: Node): string {
  const field = read(node, 'ipldgit.Tag', TAG)
  const lines = [`object ${sha(field('object'))}`, `type ${textOf(field('type'))}`, `tag ${textOf(field('tag'))}`]
  const message = textOf(field('message'))
  return `${lines.join('\n')}\ntagger ${person(field('tagger'))}\n${message === '' ? '' : `\n${message}`}`
}

function person(node: Node): string | undefined {
  if (node === ABSENT) return undefined
  const field = read(node, 'ipldgit.PersonInfo', PERSON)
  const [name, email, date, timezone] = ['name', 'email', 'date', 'timezone'].map(key => textOf(field(key)))
  return [name, `<${email}>`, date, timezone].filter(Boolean).join(' ')
}

/** Checks a map against a type; the function it answers gives fields, {@link ABSENT} for those left out. */
function read(node: Node, type: string, shape: Readonly<Record<string, string>>): (key: string) => Node {
  const value = plain(node)
  if (!(value instanceof Map)) throw dagErrors.E_WRONG_KIND('AssignNode', type, kindOf(node), 'map')
  for (const [key, field] of value) {
    const wanted = shape[key]
    if (wanted === undefined) throw dagErrors.E_MAP_KEY_INVALID(type, key)
    if (field !== ABSENT) expect(field, wanted.replace('?', '') as Kind)
  }
  const missing = Object.keys(shape).filter(key => !shape[key]!.endsWith('?') && (value.get(key) ?? ABSENT) === ABSENT)
  if (missing.length > 0) throw dagErrors.E_FIELDS_MISSING(missing.join(','))
  return key => value.get(key) ?? ABSENT
}

const METHODS: Readonly<Partial<Record<Kind, string>>> = { string: 'AsString', link: 'AsLink' }

function expect(node: Node, kind: Kind): void {
  if (kindOf(node) !== kind) throw dagErrors.E_WRONG_KIND(METHODS[kind] ?? 'AssignNode', typeName(node), kindOf(node), kind)
}

function sha(node: Node): string {
  expect(node, 'link')
  return Buffer.from((plain(node) as CID).multihash.digest).toString('hex')
}

function textOf(node: Node): string | undefined {
  if (node === ABSENT) return undefined
  expect(node, 'string')
  return plain(node) as string
}

function listOf(node: Node): readonly Node[] {
  return plain(node) as Node[]
}

/** The reference's own name for a node's implementation, which its text mentions. */
function goType(node: Node): string {
  if (!(node instanceof Typed)) return `*basicnode.plain${kindOf(node).replace(/^./, first => first.toUpperCase())}`
  return node.type === 'dagpb.PBNode' ? '*merkledag.ProtoNode' : '*ipldlegacy.LegacyNode'
}
