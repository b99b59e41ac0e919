import { type Address, addressOf } from './address.ts'
import { GatewayError, Misbehaviour, type Refusal, Unavailable } from './errors.ts'

/** Failures in a row after which a gateway is not asked any more. */
const MOST_FAILURES = 3

/** A gateway as far as it is known. */
export interface Gateway {
  readonly address: Address
  /** Whether it answers no CARs. */
  withoutCars: boolean
  /** Blocks that its CARs should have had in them. */
  readonly leftOut: Set<string>
}

interface State extends Gateway {
  failures: number
  dropped: string | undefined
}

/** Gateways in the order in which they are asked, and those that are not asked any more. */
export class Pool {
  readonly #states: readonly State[]
  readonly #onDropped: (refusal: Refusal) => void

  /** @throws E_GATEWAY_ADDRESS */
  constructor(gateways: readonly string[], onDropped: (refusal: Refusal) => void) {
    if (gateways.length === 0) throw new GatewayError('E_GATEWAY_ADDRESS', 'no gateway to ask: give at least one address')
    this.#states = gateways.map(text => ({
      address: addressOf(text),
      withoutCars: false,
      leftOut: new Set(),
      failures: 0,
      dropped: undefined
    }))
    this.#onDropped = onDropped
  }

  /** The gateways that may be asked: as they were given, behind them those that failed last. */
  alive(): readonly Gateway[] {
    return this.#states.filter(({ dropped }) => dropped === undefined).sort((a, b) => a.failures - b.failures)
  }

  /** Why those are not asked any more that are not. */
  dropped(): readonly Refusal[] {
    return this.#states.flatMap(({ address, dropped }) => (dropped === undefined ? [] : [{ gateway: address.name, reason: dropped }]))
  }

  /** A gateway gave what it was asked for. */
  worked(gateway: Gateway): void {
    this.#stateOf(gateway).failures = 0
  }

  /**
   * Notes what a gateway did in place of what it was asked for.
   *
   * @param key - of the block that it was asked for
   * @returns why it gave nothing
   * @throws what is no failure of a gateway
   */
  failed(gateway: Gateway, key: string, thrown: unknown): Unavailable {
    const state = this.#stateOf(gateway)
    const isLacking = thrown instanceof Unavailable && !thrown.passing && gateway.leftOut.has(key)
    const error = isLacking ? new Misbehaviour(`left a block out of a CAR and ${thrown.message}`) : thrown
    if (error instanceof Misbehaviour) {
      this.#drop(state, error.message)
      return new Unavailable(error.message, { passing: false })
    }
    if (!(error instanceof Unavailable)) throw error
    if (error.passing && ++state.failures >= MOST_FAILURES) this.#drop(state, `${error.message}, ${MOST_FAILURES} times in a row`)
    return error
  }

  #drop(state: State, reason: string): void {
    if (state.dropped !== undefined) return
    state.dropped = reason
    this.#onDropped({ gateway: state.address.name, reason })
  }

  #stateOf(gateway: Gateway): State {
    return gateway as State
  }
}
