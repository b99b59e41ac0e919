import type { CID } from '../../../core/index.ts'
import type { RequestStatus, WantedPin } from './request.ts'

/** How the name of a filter is compared with that of a pin. */
export const MATCHES = ['exact', 'iexact', 'partial', 'ipartial'] as const

/** Which requests a client asks for. What is undefined does not matter. */
export interface Filter {
  readonly cids: readonly CID[] | undefined
  readonly name: string | undefined
  readonly match: (typeof MATCHES)[number]
  readonly statuses: readonly RequestStatus[]
  /** Nanoseconds since the epoch, both ends excluded. */
  readonly before: bigint | undefined
  readonly after: bigint | undefined
  readonly limit: number
  readonly meta: Readonly<Record<string, string>> | undefined
}

interface Filtered {
  readonly status: RequestStatus
  readonly created: string
  readonly pin: WantedPin
}

/** Whether a request is one that a filter means, but for its CID. */
export function matches(filter: Filter, { status, created, pin }: Filtered): boolean {
  const at = BigInt(Date.parse(created)) * 1_000_000n
  return (
    filter.statuses.includes(status) &&
    (filter.before === undefined || at < filter.before) &&
    (filter.after === undefined || at > filter.after) &&
    (filter.name === undefined || matchesName(filter.name, filter.match, pin.name)) &&
    (filter.meta === undefined ||
      Object.entries(filter.meta).every(
        ([key, value]) => pin.meta !== undefined && Object.hasOwn(pin.meta, key) && pin.meta[key] === value
      ))
  )
}

function matchesName(wanted: string, match: Filter['match'], name = ''): boolean {
  const [a, b] = match.startsWith('i') ? [wanted.toLowerCase(), name.toLowerCase()] : [wanted, name]
  return match.endsWith('partial') ? b.includes(a) : a === b
}
