/** Calls on the mutable tree. Places are chosen by number among what is there then, so that shorter sequences stay of use. */
import fc from 'fast-check'

/** Names of 1 to 255 bytes. */
export const NAMES: readonly string[] = ['a', 'b', 'c', 'd', 'ä', '日本', 'with space', 'x'.repeat(60), 'y'.repeat(254), 'z'.repeat(255)]

const which = fc.nat(9999)
/** An entry that is there, or a name in a folder that is there. */
const place = fc.record({ which, name: fc.oneof(fc.constant(undefined), fc.nat(NAMES.length - 1)) })
export type Place = typeof place extends fc.Arbitrary<infer V> ? V : never

/** A number from 0 to `most`, small ones as often as large ones. */
const upTo = (most: number) => fc.double({ min: 0, max: 1, noNaN: true }).map(x => Math.floor((most + 1) ** x) - 1)
const content = fc
  .tuple(fc.oneof({ weight: 9, arbitrary: upTo(3000) }, { weight: 1, arbitrary: upTo(300_000) }), which)
  .map(([size, from]) => Buffer.from(Array.from({ length: Math.min(size, 997) }, (_, i) => (i * 7 + from) & 255).join()).subarray(0, size))
/** Every layout of a file: CIDs of both versions, raw leaves or not, balanced or trickle, of one block or many, inside its CID. */
const layout = fc.record({
  cidVersion: fc.constantFrom(0, 1),
  rawLeaves: fc.constantFrom(undefined, true, false),
  trickle: fc.boolean(),
  chunker: fc.constantFrom('size-262144', 'size-1', 'size-7', 'size-100', 'size-1000'),
  maxFileLinks: fc.constantFrom(undefined, 2, 3, 174, 200, 1000),
  inline: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })
})
const flush = fc.boolean()
const slash = fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('/') })
const naming = fc.constantFrom(undefined, undefined, { version: 0, hash: 0x12 } as const, { version: 1, hash: 0x12 } as const)

function of<const K extends string, V extends object>(weight: number, kind: K, more: { [M in keyof V]: fc.Arbitrary<V[M]> }) {
  const arbitrary = fc.record(more).map((more): { kind: K } & V => ({ kind, ...(more as V) }))
  return { weight, arbitrary }
}

export const step = fc.oneof(
  of(8, 'add', { to: place, content, layout }),
  of(2, 'addFolder', { to: place, layout, count: upTo(80) }),
  of(10, 'write', {
    to: place,
    content,
    /** In parts of what is there: 1 is its end, and more lies behind it. */
    at: fc.constantFrom(0, 0, 0.3, 1, 1, 1, 1.5),
    truncate: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    rawLeaves: fc.constantFrom(undefined, true, false),
    flush
  }),
  of(4, 'mkdir', { to: place, naming, flush }),
  of(4, 'cp', { from: place, to: place, slash, force: fc.boolean(), flush }),
  of(8, 'mv', { from: place, to: place, slash, flush }),
  of(2, 'mvIntoItself', { from: place, name: fc.nat(NAMES.length - 1), slash }),
  of(5, 'rm', { from: place, recursive: fc.boolean(), flush }),
  of(1, 'chcid', { from: place, naming, flush }),
  of(2, 'fill', { into: place, count: upTo(60) }),
  of(2, 'thin', { of: place, left: fc.constantFrom(0, 1, 2, 10) }),
  of(2, 'lose', { to: place, what: fc.constantFrom('folder', 'file', 'leaf') }),
  of(1, 'heal', {}),
  of(1, 'reopen', {}),
  of(1, 'gc', {}),
  of(2, 'check', {})
)
export type Step = typeof step extends fc.Arbitrary<infer V> ? V : never
export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>

/** How the node is run: a size from which directories are sharded of 1 B to 1 MiB, and little memory. */
export const setting = fc.record({
  threshold: upTo(2 ** 20).map(size => Math.max(1, size)),
  journal: fc.constantFrom(1, 3, 64, 4096)
})
export type Setting = typeof setting extends fc.Arbitrary<infer V> ? V : never
