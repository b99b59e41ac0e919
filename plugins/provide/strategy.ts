import { RAW } from '../../core/cid/codes.ts'
import { decodeMultihash } from '../../core/cid/index.ts'
import { type Blockstore, CID, fastBlocks, type Pins } from '../../core/index.ts'
import type { ReproviderStrategy } from '../../core/network/index.ts'

interface StrategyParts {
  readonly blockstore: Blockstore
  readonly pins: Pins | undefined
  /** All of the mutable tree; undefined where there is none. */
  readonly tree: ((signal: AbortSignal) => AsyncIterable<CID>) | undefined
}

/**
 * The content that is provided again (Kubo 0.28, core/node/provider.go): `all` blocks, the roots of pins first; `flat`, the same without that order;
 * `pinned`, what pins keep; `roots`, what was pinned itself; `mfs`, the mutable tree. At flat memory.
 */
export async function* toProvide(strategy: ReproviderStrategy, parts: StrategyParts, signal: AbortSignal): AsyncGenerator<CID> {
  const { blockstore, pins, tree } = parts
  switch (strategy) {
    case 'mfs':
      yield* tree?.(signal) ?? []
      return
    case 'roots':
      yield* roots(pins, signal)
      return
    case 'pinned':
      yield* roots(pins, signal)
      if (pins !== undefined) yield* pins.indirect({ signal, offline: true })
      return
    case 'all':
      yield* roots(pins, signal)
  }
  for await (const multihash of fastBlocks(blockstore).listMultihashes({ signal })) yield CID.createV1(RAW, decodeMultihash(multihash))
}

async function* roots(pins: Pins | undefined, signal: AbortSignal): AsyncGenerator<CID> {
  if (pins === undefined) return
  for await (const { cid } of pins.list({ signal })) yield cid
}
