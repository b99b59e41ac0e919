/** The kinds of failure of a call, beside the node's own message. */
export type RpcErrorCode =
  /** The command failed; `message` is what the node says. */
  | 'E_CLIENT_FAILED'
  /** The command failed behind the first byte of its answer. */
  | 'E_CLIENT_FAILED_LATE'
  /** The node did not understand the call: an option, an argument, the body. */
  | 'E_CLIENT_REFUSED'
  /** The node does not let this caller in. */
  | 'E_CLIENT_FORBIDDEN'
  /** There is no such command, or it is switched off. */
  | 'E_CLIENT_NO_COMMAND'
  /** The node is at its limit or shutting down: worth another try. */
  | 'E_CLIENT_BUSY'
  /** The answer ends before its end: what came of it is not the whole. */
  | 'E_CLIENT_CUT_OFF'
  /** Nobody answers at this address. */
  | 'E_CLIENT_UNREACHABLE'
  /** The call took longer than it may. */
  | 'E_CLIENT_TIMEOUT'
  /** The caller's own signal ended it; `cause` is its reason. */
  | 'E_CLIENT_ABORTED'
  /** The answer is none that a node gives. */
  | 'E_CLIENT_ANSWER'
  /** The call itself is wrong: nothing was sent. */
  | 'E_CLIENT_CALL'

interface RpcErrorDetails {
  readonly code: RpcErrorCode
  /** `pin/add` */
  readonly command: string
  /** The status of the HTTP answer, where there is one. */
  readonly status?: number | undefined
  /** `Code` of the node's error object: 0 normal, 1 client, 2 implementation, 3 rate limited, 4 forbidden. */
  readonly wireCode?: number | undefined
  readonly cause?: unknown
}

/** Why a call did not succeed. */
export class RpcError extends Error implements RpcErrorDetails {
  override readonly name = 'RpcError'
  readonly code: RpcErrorCode
  readonly command: string
  readonly status: number | undefined
  readonly wireCode: number | undefined

  constructor(message: string, { code, command, status, wireCode, cause }: RpcErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.command = command
    this.status = status
    this.wireCode = wireCode
  }
}

const BY_STATUS: Readonly<Record<number, RpcErrorCode>> = {
  400: 'E_CLIENT_REFUSED',
  403: 'E_CLIENT_FORBIDDEN',
  404: 'E_CLIENT_NO_COMMAND',
  414: 'E_CLIENT_REFUSED',
  431: 'E_CLIENT_REFUSED',
  503: 'E_CLIENT_BUSY'
}

/** The error that an answer with another status than 200 tells. */
export function errorOf(command: string, status: number, text: string): RpcError {
  const { message = `status ${status}`, wireCode } = toldOf(text)
  const code = BY_STATUS[status] ?? (wireCode === undefined && status !== 500 ? 'E_CLIENT_ANSWER' : 'E_CLIENT_FAILED')
  return new RpcError(message, { code, command, status, wireCode })
}

/** The content of an error's body: its object's message and code, or a line of text. */
export function toldOf(text: string): { readonly message?: string; readonly wireCode?: number } {
  const line = text.trim()
  const told = line === '' ? {} : { message: line }
  try {
    const { Message, Code } = JSON.parse(text) as { Message?: unknown; Code?: unknown }
    return {
      ...told,
      ...(typeof Message === 'string' ? { message: Message } : {}),
      ...(typeof Code === 'number' ? { wireCode: Code } : {})
    }
  } catch {
    return told
  }
}
