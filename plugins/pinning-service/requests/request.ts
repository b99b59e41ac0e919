import { z } from 'zod'
import { type Key, messageOf } from '../../../core/index.ts'
import { pinningServiceErrors } from '../errors.ts'

/** The states of a request for a pin, in the order of its life. */
export const REQUEST_STATUSES = ['queued', 'pinning', 'pinned', 'failed'] as const

export type RequestStatus = (typeof REQUEST_STATUSES)[number]

/** A client's request for a pin. */
export interface WantedPin {
  /** The CID in the form that CIDs have by default. */
  readonly cid: string
  readonly name?: string | undefined
  /** Multiaddrs of peers that have it, each with its peer. */
  readonly origins?: readonly string[] | undefined
  readonly meta?: Readonly<Record<string, string>> | undefined
}

/** The client of a request, and the ID of the request among that client's. */
export interface RequestId {
  /** The name of the token. */
  readonly owner: string
  readonly id: string
}

/** A request for a pin, as it is kept: `pinning` is never written down, as whoever dies over it begins anew. */
export interface PinRequest extends RequestId {
  readonly status: Exclude<RequestStatus, 'pinning'>
  /** RFC 3339, of milliseconds; no two requests of a client have the same. */
  readonly created: string
  readonly pin: WantedPin
  /** Why it failed. */
  readonly details?: string | undefined
}

const stored = z.object({
  status: z.enum(['queued', 'pinned', 'failed']),
  created: z.iso.datetime(),
  pin: z.object({
    cid: z.string(),
    name: z.string().optional(),
    origins: z.array(z.string()).optional(),
    meta: z.record(z.string(), z.string()).optional()
  }),
  details: z.string().optional()
})

export function encodeRequest({ status, created, pin, details }: PinRequest): Uint8Array {
  return Buffer.from(JSON.stringify({ status, created, pin, details }))
}

/** @throws E_PINNING_RECORD */
export function decodeRequest(key: Key, of: RequestId, value: Uint8Array): PinRequest {
  try {
    return { ...of, ...stored.parse(JSON.parse(Buffer.from(value).toString())) }
  } catch (error) {
    throw pinningServiceErrors.E_PINNING_RECORD(key.toString(), messageOf(error))
  }
}
