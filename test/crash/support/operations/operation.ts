import type { Random } from '../../../helpers/random.ts'
import type { Effects, Expected } from '../expected.ts'
import { type Part } from '../rpc.ts'

/** One caller among several. */
export interface Caller {
  readonly random: Random
  readonly expected: Expected
  /** Where the node answers. */
  readonly url: string
  /** For files that lie beside its repo. */
  readonly folder: string
  /** Blocks that were put and not pinned. */
  readonly spare: string[]
  /** At least 32 and at most so many more bytes that no other caller gets. */
  bytes(most: number): Uint8Array<ArrayBuffer>
  /** Asks, and writes down what came of it. @param learned - what the answer says beyond `effects` */
  ask(path: string, effects: Effects, parts?: readonly Part[], learned?: (answer: string) => Effects): Promise<string>
}

export interface Operation {
  readonly path: string
  readonly weight: number
  run(caller: Caller): Promise<void>
}
