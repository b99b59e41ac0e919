import { commonErrors } from '../errors/common.ts'

/** The memory that one call holds of an input that it reads whole. */
export interface HeldInput {
  /** @throws E_INPUTS_HELD when all calls together would hold more than they may */
  add(bytes: number): void
  /** Gives all of it back. */
  release(): void
}

/** Bytes of the inputs that calls hold whole at a time, all calls together: each has a limit of its own, but there are many calls. */
export class HeldInputs {
  readonly #most: number
  readonly #setting: string
  #held = 0

  /** @param setting - the name of the limit, for the error */
  constructor(most: number, setting: string) {
    this.#most = most
    this.#setting = setting
  }

  /** The share of one call; nothing yet. */
  begin(): HeldInput {
    let taken = 0
    return {
      add: bytes => {
        if (this.#held + bytes > this.#most) throw commonErrors.E_INPUTS_HELD(this.#most, this.#setting)
        this.#held += bytes
        taken += bytes
      },
      release: () => {
        this.#held -= taken
        taken = 0
      }
    }
  }
}
