import { type Token, token } from '../../../core/index.ts'
import { diagnosticsErrors } from '../errors.ts'

/** How long one profile may take, in milliseconds: what is sampled is held until its end. */
const LONGEST_MS = 600_000

/** Lets one profile be taken at a time: two would measure each other. */
export class ProfileTurn {
  #taken = false

  /**
   * @returns what ends the turn
   * @throws E_PROFILE_BUSY, E_PROFILE_TIME
   */
  claim(milliseconds: number): () => void {
    if (milliseconds > LONGEST_MS) throw diagnosticsErrors.E_PROFILE_TIME(LONGEST_MS / 60_000)
    if (this.#taken) throw diagnosticsErrors.E_PROFILE_BUSY()
    this.#taken = true
    return () => {
      this.#taken = false
    }
  }
}

export const ProfileTurnToken: Token<ProfileTurn> = token<ProfileTurn>('diagnostics-profile-turn')
