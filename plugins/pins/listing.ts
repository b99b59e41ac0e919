import type { CID } from 'multiformats/cid'
import type { BlockOptions, PathResolver, Pin, Pins, Resolved } from '../../core/index.ts'
import { pinErrors } from './errors.ts'

export const pinTypes = ['direct', 'indirect', 'recursive', 'all'] as const
type PinType = (typeof pinTypes)[number]

export function isPinType(type: string): type is PinType {
  return (pinTypes as readonly string[]).includes(type)
}

/** One line of a listing; a pin is one. */
export interface Listed {
  readonly cid: CID
  readonly text?: string
  /** `recursive`, `direct`, `indirect`, or `indirect through <root>`. */
  readonly mode: string
  readonly name: string
}

interface ListOptions extends BlockOptions {
  readonly type: PinType
  /** Whether errors call paths as the caller did, in place of from `/ipfs/` on. */
  readonly asGiven?: boolean
}

/** To be waited for, each of them, unless all are at hand. */
export interface List extends AsyncIterable<Listed>, Partial<Iterable<Listed>> {}

/** All pins of a type, one list after the other: recursive ones first, then direct, then indirect. */
export function listed(pins: Pins, { type, ...options }: ListOptions): readonly List[] {
  if (type === 'all') return [pins.list(options), indirect(pins, options)]
  return [type === 'indirect' ? indirect(pins, options) : pins.list({ ...options, mode: type })]
}

async function* indirect(pins: Pins, options: BlockOptions): AsyncGenerator<Listed> {
  for await (const cid of pins.indirect(options)) yield { cid, mode: 'indirect', name: '' }
}

/**
 * How each of the paths is kept, in their order.
 *
 * @throws E_PATH_NOT_PINNED, and what resolving throws, after what was found for the paths before
 */
export async function* found(paths: readonly string[], pins: Pins, resolver: PathResolver, how: ListOptions): AsyncGenerator<Listed> {
  const { type, asGiven = false, ...options } = how
  const resolved: Resolved[] = []
  let failure: { error: unknown } | undefined
  try {
    for (const path of paths) resolved.push(await resolver.resolve(path, { ...options, removal: true }))
  } catch (error) {
    failure = { error }
  }
  const mode = type === 'all' ? undefined : type
  const pinned = mode === 'indirect' ? [] : await Promise.all(resolved.map(({ cid }) => pins.get(cid)))
  // Most have a pin of their own, of which the text of the CID is known.
  const isListed = (pin: Pin | undefined): pin is Pin => pin !== undefined && (mode === undefined || mode === pin.mode)
  const others = resolved.filter((_, i) => !isListed(pinned[i])).map(({ cid }) => cid)
  const kept = others.length === 0 ? undefined : await pins.why(others, { ...options, mode })
  for (const [i, { cid, path }] of resolved.entries()) {
    const pin = pinned[i]
    if (isListed(pin)) {
      yield { cid, text: pin.text, mode: pin.mode, name: pin.name }
      continue
    }
    const why = kept?.get(cid.toString())
    if (why === undefined) throw pinErrors.E_PATH_NOT_PINNED(asGiven ? paths[i]! : path)
    yield { cid, mode: why.through === undefined ? why.mode : `indirect through ${why.through}`, name: '' }
  }
  if (failure !== undefined) throw failure.error
}

export function isAtHand(list: List): list is List & Iterable<Listed> {
  return list[Symbol.iterator] !== undefined
}
