import { z } from 'zod'
import { parseCid } from '../../../core/cid/index.ts'
import { type CID, messageOf } from '../../../core/index.ts'
import { parseTime } from '../../../core/ipns/index.ts'
import { remotePinErrors } from '../errors.ts'

/** The states of a pin at a service, in the order of a pin's life. */
export const PIN_STATUSES = ['queued', 'pinning', 'pinned', 'failed'] as const

export type RemoteStatus = (typeof PIN_STATUSES)[number]

/** A pin at a service. */
export interface RemotePin {
  readonly requestId: string
  /** `''` for one that the API does not know. */
  readonly status: RemoteStatus | ''
  /** When it was asked for, as the service wrote it. */
  readonly created: string
  readonly cid: CID
  /** `''`: none. */
  readonly name: string
  /** Multiaddrs of peers that take the content for the service, as it wrote them. */
  readonly delegates: readonly string[]
}

/** Some of the pins at a service, and how many there are of the same kind, these included. */
export interface RemotePins {
  readonly count: number
  readonly pins: readonly RemotePin[]
}

const pinStatus = z.object({
  // it becomes a part of a path
  requestid: z
    .string()
    .min(1)
    .refine(text => text.isWellFormed(), 'no text'),
  status: z.string(),
  created: z.string(),
  pin: z.object({ cid: z.string(), name: z.string().nullish() }),
  delegates: z.array(z.string()).nullish()
})

const pinResults = z.object({ count: z.int().min(0), results: z.array(pinStatus).nullish() })

const failure = z.object({ error: z.object({ reason: z.string().nullish(), details: z.string().nullish() }) })

/** JSON by the type that an answer says (boxo 0.19, pinning/remote/client/openapi). */
const JSON_TYPE = /^(?:application|text)\/(?:vnd\..+\+)?json/i

/** @throws E_REMOTE_ANSWER, E_REMOTE_HTTP for what is no JSON */
export async function readPin(response: Response): Promise<RemotePin> {
  return pinOf(checked(pinStatus, await jsonOf(response)))
}

/** @throws E_REMOTE_ANSWER, E_REMOTE_HTTP for what is no JSON */
export async function readPins(response: Response): Promise<RemotePins> {
  const { count, results } = checked(pinResults, await jsonOf(response))
  return { count, pins: (results ?? []).map(pinOf) }
}

/** The error of a service that refuses. @returns E_REMOTE_REFUSED; E_REMOTE_HTTP where it says nothing in the API's words */
export async function readFailure(response: Response): Promise<Error> {
  const { status, statusText } = response
  const text = await response.text()
  try {
    // an empty answer counts as a failure without words, as in Kubo
    const { error } = text === '' ? { error: {} as { reason?: string; details?: string } } : checked(failure, parsed(text, response))
    return remotePinErrors.E_REMOTE_REFUSED(error.reason ?? '', error.details ?? '', `${status} ${statusText}`.trimEnd())
  } catch (unread) {
    return remotePinErrors.E_REMOTE_HTTP(status, messageOf(unread))
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return parsed(text, response)
  } catch (error) {
    throw remotePinErrors.E_REMOTE_HTTP(response.status, messageOf(error))
  }
}

function parsed(text: string, { headers }: Response): unknown {
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) throw new Error('undefined response type')
  return JSON.parse(text)
}

/** @throws E_REMOTE_ANSWER, which names the member that is not as it should be */
function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data
  const [first] = error.issues
  const at = first!.path.map(String).join('.')
  throw remotePinErrors.E_REMOTE_ANSWER(`${at === '' ? '' : `${at}: `}${first!.message}`)
}

function pinOf({ requestid, status, created, pin, delegates }: z.output<typeof pinStatus>): RemotePin {
  try {
    parseTime(created)
    return {
      requestId: requestid,
      status: PIN_STATUSES.find(known => known === status) ?? '',
      created,
      cid: parseCid(pin.cid),
      name: pin.name ?? '',
      delegates: delegates ?? []
    }
  } catch (error) {
    throw remotePinErrors.E_REMOTE_ANSWER(`the pin ${JSON.stringify(requestid)}: ${messageOf(error)}`)
  }
}
