import {
  Configuration,
  type PinsGetRequest,
  querystring,
  RemotePinningServiceClient,
  type Status
} from '@ipfs-shipyard/pinning-service-client'
import { cidToString } from '../../../core/cid/index.ts'
import { byteString } from '../../../core/go/index.ts'
import type { CID } from '../../../core/index.ts'
import { parseTime } from '../../../core/ipns/index.ts'
import { requestBase } from '../endpoint.ts'
import { remotePinErrors } from '../errors.ts'
import { type RemotePin, type RemotePins, type RemoteStatus, readFailure, readPin, readPins } from './answers.ts'
import { boundedFetch, type FetchBounds } from './bounded-fetch.ts'

/** Pins of a page. The API lets a client ask for up to 1000. */
const PAGE = 100

/** A pin to ask for. */
interface WantedPin {
  readonly cid: CID
  /** `''`: none. */
  readonly name: string
  /** Multiaddrs of peers that have the content, each with its peer at the end. */
  readonly origins: readonly string[]
}

/** Which pins of a service. What is undefined does not matter; the service lists pinned ones alone where no status is said. */
export interface RemoteQuery {
  readonly cids?: readonly CID[] | undefined
  readonly name?: string | undefined
  readonly statuses?: readonly RemoteStatus[] | undefined
}

interface RemoteServiceParts {
  readonly endpoint: string
  readonly key: string
  /** The agent that the service is told. */
  readonly agent: string
  readonly bounds: FetchBounds
  /** Ends all requests. */
  readonly signal: AbortSignal
}

/**
 * A pinning service, asked by the IPFS Pinning Service API: requests by its client library, within bounds of time and size; answers are checked.
 *
 * @throws E_REMOTE_REFUSED, E_REMOTE_HTTP, E_REMOTE_UNREACHABLE, E_REMOTE_ANSWER
 */
export class RemoteService {
  readonly #client: RemotePinningServiceClient

  /** @throws E_REMOTE_ENDPOINT, E_REMOTE_KEY */
  constructor({ endpoint, key, agent, bounds, signal }: RemoteServiceParts) {
    // header fields are bytes; what cannot be one would be shown, key and all, in the error of the platform
    const accessToken = byteString(key)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header field cannot hold
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(accessToken)) throw remotePinErrors.E_REMOTE_KEY()
    this.#client = new RemotePinningServiceClient(
      new Configuration({
        endpointUrl: requestBase(endpoint),
        accessToken,
        // by name, as Go's client has them
        queryParamsStringify: query => querystring(Object.fromEntries(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)))),
        headers: { Accept: 'application/json', 'User-Agent': agent },
        fetchApi: (url: string | URL, init: RequestInit = {}) => boundedFetch(String(url), init, bounds, signal)
      })
    )
  }

  /**
   * Pins, the newest first, page by page as they are taken.
   *
   * @throws E_REMOTE_RESULTS for a page without the pins that it counts; E_REMOTE_PAGES where the service does not get on
   */
  async *list(query: RemoteQuery): AsyncGenerator<RemotePin> {
    let before: string | undefined
    for (;;) {
      const { count, pins } = await this.#page(query, PAGE, before)
      const last = pins.at(-1)?.created
      if (count !== 0 && last === undefined) throw remotePinErrors.E_REMOTE_RESULTS(count)
      if (last !== undefined && before !== undefined && parseTime(last) >= parseTime(before)) throw remotePinErrors.E_REMOTE_PAGES(before)
      yield* pins
      if (last === undefined || count <= pins.length) return
      before = last
    }
  }

  /** How many pins there are in a state. */
  async count(status: RemoteStatus): Promise<number> {
    return (await this.#page({ statuses: [status] }, 1, undefined)).count
  }

  /** Asks for a pin; the same CID may be pinned any number of times. */
  async add(pin: WantedPin): Promise<RemotePin> {
    return readPin(await answer(this.#client.pinsPostRaw({ pin: bodyOf(pin) })))
  }

  async get(requestId: string): Promise<RemotePin> {
    return readPin(await answer(this.#client.pinsRequestidGetRaw({ requestid: requestId })))
  }

  /** Puts another pin in the place of one, so that the service keeps what both have in common. @returns the new one, with its own ID */
  async replace(requestId: string, pin: WantedPin): Promise<RemotePin> {
    return readPin(await answer(this.#client.pinsRequestidPostRaw({ requestid: requestId, pin: bodyOf(pin) })))
  }

  async remove(requestId: string): Promise<void> {
    await answer(this.#client.pinsRequestidDeleteRaw({ requestid: requestId }))
  }

  async #page({ cids, name, statuses }: RemoteQuery, limit: number, before: string | undefined): Promise<RemotePins> {
    const request: PinsGetRequest = {
      limit,
      ...(cids !== undefined && cids.length > 0 && { cid: cids.map(cid => cidToString(cid)) }),
      ...(name !== undefined && { name }),
      ...(statuses !== undefined && statuses.length > 0 && { status: [...statuses] as Status[] }),
      ...(before !== undefined && { before: new Instant(before) })
    }
    return readPins(await answer(this.#client.pinsGetRaw(request)))
  }
}

/** A time as a service wrote it: a `Date` would cut off what is finer than milliseconds, and a page would lose pins by that. */
class Instant extends Date {
  readonly #text: string

  constructor(text: string) {
    super(text)
    this.#text = text
  }

  override toISOString(): string {
    return this.#text
  }
}

/** The HTTP answer of a request; the library throws one whose status is no success. */
async function answer(request: Promise<{ readonly raw: Response }>): Promise<Response> {
  try {
    return (await request).raw
  } catch (error) {
    throw error instanceof Response ? await readFailure(error) : error
  }
}

function bodyOf({ cid, name, origins }: WantedPin) {
  return { cid: cidToString(cid), ...(name !== '' && { name }), ...(origins.length > 0 && { origins: [...origins] }) }
}
