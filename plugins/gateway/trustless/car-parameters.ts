import type { ByteSpan, CarScope } from '../../../core/car/index.ts'
import { parseInteger } from '../../../core/go/index.ts'
import { messageOf } from '../../../core/index.ts'
import type { Choice } from '../request/format.ts'
import { trustlessErrors } from './errors.ts'

/** How a CAR is wanted. */
export interface CarParameters {
  readonly scope: CarScope
  /** Only counts for an entity. */
  readonly bytes: ByteSpan | undefined
  readonly order: 'dfs' | 'unk'
  readonly duplicates: boolean
}

const SCOPES: readonly string[] = ['all', 'entity', 'block']

/**
 * The parameters of the URL, and of `Accept` where that has none (IPIP-402, -412, -523).
 *
 * @throws E_CAR_SCOPE, E_CAR_BYTES, E_CAR_FORMAT_…
 */
export function carParameters(query: URLSearchParams, { parameters }: Choice): CarParameters {
  const said = (name: string) => query.get(`car-${name}`) ?? parameters.get(name)
  const range = query.get('entity-bytes')
  // bytes are of the entity, where nothing else is said
  const scope = query.get('dag-scope') ?? (range === null ? 'all' : 'entity')
  if (!SCOPES.includes(scope)) throw trustlessErrors.E_CAR_SCOPE(scope)
  const bytes = range === null ? undefined : parseSpan(range)
  const version = said('version') ?? '1'
  if (version !== '1') throw trustlessErrors.E_CAR_FORMAT_VERSION()
  const order = said('order') ?? 'dfs'
  if (order !== 'dfs' && order !== 'unk') throw trustlessErrors.E_CAR_FORMAT_ORDER(order)
  const dups = said('dups') ?? 'n'
  if (dups !== 'y' && dups !== 'n') throw trustlessErrors.E_CAR_FORMAT_DUPS(dups)
  return { scope: scope as CarScope, bytes, order, duplicates: dups === 'y' }
}

/** `FROM:TO` or `FROM:*`. @throws E_CAR_BYTES */
export function parseSpan(text: string): ByteSpan {
  const [first, last, ...more] = text.split(':')
  if (first === undefined || last === undefined || more.length > 0) {
    throw trustlessErrors.E_CAR_BYTES("range must have two numbers separated with ':'")
  }
  const from = numberIn(first)
  const to = last === '*' ? undefined : numberIn(last)
  if (to !== undefined && from > to && from < 0n === to < 0n) {
    throw trustlessErrors.E_CAR_BYTES("cannot have an entity-bytes range where 'from' is after 'to'")
  }
  return { from, to }
}

function numberIn(text: string): bigint {
  try {
    return parseInteger(text, 64, true, 10)
  } catch (error) {
    throw trustlessErrors.E_CAR_BYTES(messageOf(error))
  }
}
