import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ByteCounts } from '../core/index.ts'

const BEGAN = Symbol('began')
const COMMAND = Symbol('command')
const MARK = Symbol('mark')

type CountedResponse = ServerResponse & { [BEGAN]?: number; [COMMAND]?: ByteCounts }
type CountedSocket = Socket & { [MARK]?: { in: number; out: number } }

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE'])

/** The requests and bytes of the listeners of one kind: plain numbers, added up when a request is over. */
export class RequestCounts {
  /** `get 200` to the number of such requests. */
  readonly requests = new Map<string, number>()
  count = 0
  seconds = 0
  /** Bytes on the connections, header fields included. */
  bytesIn = 0
  bytesOut = 0
  readonly #over: () => void

  constructor() {
    const counts = this
    // one function for all: what it needs lies on the response
    this.#over = function (this: ServerResponse) {
      counts.#end(this)
    } as () => void
  }

  /** A request has come in. */
  begin(response: ServerResponse): void {
    ;(response as CountedResponse)[BEGAN] = performance.now()
    response.on('close', this.#over)
  }

  #end(response: CountedResponse): void {
    const { method = '', socket } = response.req as IncomingMessage & { socket: CountedSocket }
    const key = `${METHODS.has(method) ? method.toLowerCase() : 'unknown'} ${response.statusCode}`
    this.requests.set(key, (this.requests.get(key) ?? 0) + 1)
    this.count++
    this.seconds += (performance.now() - response[BEGAN]!) / 1000
    const { bytesRead, bytesWritten } = socket
    const mark = socket[MARK]
    const received = bytesRead - (mark?.in ?? 0)
    const sent = bytesWritten - (mark?.out ?? 0)
    if (mark === undefined) socket[MARK] = { in: bytesRead, out: bytesWritten }
    else {
      mark.in = bytesRead
      mark.out = bytesWritten
    }
    this.bytesIn += received
    this.bytesOut += sent
    const ofCommand = response[COMMAND]
    if (ofCommand === undefined) return
    ofCommand.bytesIn += received
    ofCommand.bytesOut += sent
  }
}

/** The bytes of this request and its answer count for a command too. */
export function countForCommand(response: ServerResponse, ofCommand: ByteCounts): void {
  ;(response as CountedResponse)[COMMAND] = ofCommand
}
