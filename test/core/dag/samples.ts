import fc from 'fast-check'
import { parseCid } from '../../../core/cid/parse.ts'
import type { Node } from '../../../core/dag/model.ts'
import { NodeError } from '../../../core/errors.ts'

export const EMPTY_DIR = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
export const EMPTY_DIR_V1 = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

export const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'))
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
export const utf8 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** What `run` throws; declared errors only. */
export function failure(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof NodeError) return error.message
    throw error
  }
  return 'no error'
}

export const cids = fc.constantFrom(EMPTY_DIR, EMPTY_DIR_V1, 'bafkqabtimvwgy3yk').map(parseCid)

const scalars: fc.Arbitrary<Node>[] = [
  fc.constant(null),
  fc.boolean(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 40 }),
  cids
]

/** Any value of the data model that dag-cbor can carry. */
export const nodes: fc.Arbitrary<Node> = fc.letrec<{ node: Node; map: Map<string, Node> }>(tie => ({
  node: fc.oneof({ maxDepth: 4 }, ...scalars, fc.array(tie('node'), { maxLength: 4 }), tie('map')),
  map: fc
    .uniqueArray(fc.tuple(fc.string({ unit: 'binary', maxLength: 5 }), tie('node')), { maxLength: 4, selector: ([key]) => key })
    .map(entries => new Map(entries))
})).node
