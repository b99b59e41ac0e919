import type { CID } from 'multiformats/cid'
import { type BlockOptions, type PathResolver, type Pinned, type Pins, type Resolved } from '../../core/index.ts'
import { pinErrors } from './errors.ts'

export const pinTypes = ['direct', 'indirect', 'recursive', 'all'] as const
export type PinType = (typeof pinTypes)[number]

export function isPinType(type: string): type is PinType {
  return (pinTypes as readonly string[]).includes(type)
}

/** One line of a listing. */
export interface Listed {
  readonly cid: CID
  readonly text?: string
  /** `recursive`, `direct`, `indirect`, or `indirect through <root>`. */
  readonly type: string
  readonly name: string
}

export interface ListOptions extends BlockOptions {
  readonly type: PinType
}

/** All pins of a type: recursive ones first, then direct, then indirect. */
export async function* listed(pins: Pins, { type, ...options }: ListOptions): AsyncGenerator<Listed> {
  if (type !== 'indirect') {
    const mode = type === 'all' ? undefined : type
    for await (const pin of pins.list({ ...options, mode })) yield { cid: pin.cid, text: pin.text, type: pin.mode, name: pin.name }
  }
  if (type === 'all' || type === 'indirect') for await (const cid of pins.indirect(options)) yield { cid, type: 'indirect', name: '' }
}

/**
 * How each of the paths is kept, in their order; without names, as the reference does.
 *
 * @throws E_PATH_NOT_PINNED, and what resolving throws, after what was found for the paths before
 */
export async function* found(paths: readonly string[], pins: Pins, resolver: PathResolver, how: ListOptions): AsyncGenerator<Listed> {
  const { type, ...options } = how
  const resolved: Resolved[] = []
  let failure: { error: unknown } | undefined
  try {
    for (const path of paths) resolved.push(await resolver.resolve(path, options))
  } catch (error) {
    failure = { error }
  }
  const cids = resolved.map(({ cid }) => cid)
  const kept = cids.length === 0 ? new Map<string, Pinned>() : await pins.why(cids, { ...options, mode: type === 'all' ? undefined : type })
  for (const { cid, path } of resolved) {
    const why = kept.get(cid.toString())
    if (why === undefined) throw pinErrors.E_PATH_NOT_PINNED(path)
    yield { cid, type: why.through === undefined ? why.mode : `indirect through ${why.through}`, name: '' }
  }
  if (failure !== undefined) throw failure.error
}
