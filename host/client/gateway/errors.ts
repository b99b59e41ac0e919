/** Errors of reading content from gateways. */
export type GatewayErrorCode =
  /** An address that is none of a gateway. */
  | 'E_GATEWAY_ADDRESS'
  /** A path that is no content path which gateways can be asked for. */
  | 'E_GATEWAY_PATH'
  /** No gateway gives a block; `refusals` says what each did. */
  | 'E_GATEWAY_BLOCK'
  /** A path that leads nowhere, as the blocks on its way show. */
  | 'E_GATEWAY_ABSENT'
  /** The content is none that files and folders can be read from. */
  | 'E_GATEWAY_CONTENT'
  /** The gateways were closed. */
  | 'E_GATEWAY_CLOSED'

/** A gateway and why it gave nothing. */
export interface Refusal {
  /** Its address, without a password. */
  readonly gateway: string
  readonly reason: string
}

/** Why content could not be read from gateways. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: GatewayErrorCode
  readonly refusals: readonly Refusal[]

  constructor(code: GatewayErrorCode, message: string, { refusals = [], cause }: { refusals?: readonly Refusal[]; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.refusals = refusals
  }
}

/** An error of a gateway that no honest one makes: it is not asked again. */
export class Misbehaviour extends Error {}

/** An error of a gateway for now, or for this block: another one may. */
export class Unavailable extends Error {
  /** Whether the same question may be answered later. */
  readonly passing: boolean
  /** How long the gateway wants to be left alone, in milliseconds. */
  readonly wait: number

  constructor(message: string, { passing, wait = 0 }: { passing: boolean; wait?: number }) {
    super(message)
    this.passing = passing
    this.wait = wait
  }
}
