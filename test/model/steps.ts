/** Calls of which sequences are made. What a call is about is chosen by a number among what there is then, so that shorter sequences stay of use. */
import fc from 'fast-check'

const name = fc.constantFrom('a', 'b', 'c', 'd')
const path = fc.array(name, { minLength: 1, maxLength: 3 })
const content = fc
  .tuple(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(0, 3, 40, 5000) }, { weight: 1, arbitrary: fc.constant(270_000) }), fc.nat(255))
  .map(([size, byte]) => Buffer.alloc(size, byte))

/** How CIDs are asked to be made. */
export interface NamingOptions {
  readonly cidVersion?: number
  readonly hash?: string
}
const usual: readonly NamingOptions[] = [
  { cidVersion: 0 },
  { cidVersion: 1 },
  { hash: 'sha2-512' },
  { cidVersion: 1, hash: 'blake2b-256' },
  { cidVersion: 2 }
]
const someOf = (choice: readonly NamingOptions[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant<NamingOptions>({}) }, { weight: 1, arbitrary: fc.constantFrom(...choice) })
const fileNaming = someOf(usual)
/** Directories may also stand in their CIDs; no node may have the last one. */
const naming = someOf([...usual, { hash: 'identity' }, { hash: 'murmur3-x64-64' }])
const flush = fc.boolean()
const which = fc.nat(1000)
/** Behind a slash at the end of a path things go into the directory. */
const slash = fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('/') })

function of<const K extends string, V extends object>(weight: number, kind: K, more: { [M in keyof V]: fc.Arbitrary<V[M]> }) {
  const arbitrary = fc.tuple(fc.constant(kind), fc.record(more)).map(([kind, more]): { kind: K } & V => ({ kind, ...(more as V) }))
  return { weight, arbitrary }
}

const treeStep = fc.oneof(
  of(8, 'write', {
    path,
    content,
    /** `-1`: at the end of what is there. */
    offset: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(0, 2, -1, 4000, 262_144) },
      { weight: 1, arbitrary: fc.constantFrom(-5, 2 ** 40) }
    ),
    count: fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(0, 2, 4096, -1) }),
    truncate: fc.boolean(),
    create: fc.oneof({ weight: 6, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    parents: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    rawLeaves: fc.constantFrom(undefined, true, false),
    naming: fileNaming,
    flush
  }),
  of(4, 'mkdir', { path, parents: fc.boolean(), naming, flush }),
  of(3, 'cp', { path, to: path, slash, parents: fc.boolean(), flush }),
  of(3, 'cpIn', { which, to: path, slash, flush }),
  of(4, 'mv', { path, to: path, slash, flush }),
  of(4, 'rm', { path, recursive: fc.boolean(), force: fc.boolean() }),
  of(2, 'chcid', { path, naming, flush }),
  of(1, 'flush', { path }),
  of(2, 'stat', { path }),
  of(2, 'read', { path, offset: fc.constantFrom(0, 2, 4000, 262_144, 2 ** 50, -1), count: fc.constantFrom(undefined, 0, 10, 300_000, -1) }),
  of(1, 'fill', { path, count: fc.integer({ min: 3, max: 12 }), flush }),
  of(1, 'empty', { path, flush: fc.constant(true) }),
  of(1, 'crowd', { path, count: fc.integer({ min: 2, max: 6 }) })
)

const storeStep = fc.oneof(
  of(3, 'add', {
    content,
    cidVersion: fc.constantFrom(0, 1),
    files: fc.constantFrom(0, 2),
    pin: fc.boolean(),
    toFiles: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: path })
  }),
  of(3, 'pinAdd', { which, recursive: fc.boolean(), name: fc.constantFrom('', 'n', 'other') }),
  of(2, 'pinRm', { which, recursive: fc.boolean() }),
  of(2, 'pinUpdate', { which, other: which, unpin: fc.boolean() }),
  of(3, 'blockPut', { number: fc.nat(5), pin: fc.boolean() }),
  of(2, 'blockRm', { which }),
  of(2, 'dagPut', { number: fc.nat(3), links: fc.array(which, { maxLength: 2 }), pin: fc.boolean() }),
  of(1, 'dagGet', { which }),
  of(2, 'publish', { key: fc.constantFrom('self', 'k', 'l', 'none'), which }),
  of(1, 'resolve', { key: fc.constantFrom('self', 'k', 'l') }),
  of(1, 'keyGen', { key: fc.constantFrom('k', 'l') }),
  of(1, 'keyRename', { key: fc.constantFrom('k', 'l'), to: fc.constantFrom('k', 'l', 'self'), force: fc.boolean() }),
  of(1, 'keyRm', { key: fc.constantFrom('k', 'l', 'self') })
)

const nodeStep = fc.oneof(of(3, 'gc', {}), of(2, 'reopen', {}), of(2, 'kill', {}), of(1, 'check', {}))

export const step = fc.oneof({ weight: 12, arbitrary: treeStep }, { weight: 5, arbitrary: storeStep }, { weight: 3, arbitrary: nodeStep })

type ValueOf<A> = A extends fc.Arbitrary<infer V> ? V : never
export type Step = ValueOf<typeof step>
export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>

/** How the node is run. Small limits, so that directories are sharded, written and let go of within a sequence. */
export const setting = fc.record({
  threshold: fc.constantFrom('256KiB', '1B', '100B', '300B'),
  journal: fc.constantFrom(1024, 1, 3),
  process: fc.oneof({ weight: 24, arbitrary: fc.constant('here' as const) }, { weight: 1, arbitrary: fc.constant('child' as const) })
})
