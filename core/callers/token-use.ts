import { z } from 'zod'

/** The members of a listed token that say until when it is good, and when it was last used. */
export const tokenUse = { Expires: z.string().optional(), Expired: z.boolean(), LastUsed: z.string().optional() }

interface TokenUse {
  readonly Expires?: string | undefined
  readonly Expired: boolean
  readonly LastUsed?: string | undefined
}

/** @param lastUsed - milliseconds since the epoch */
export function tokenUseOf(expires: string | undefined, lastUsed: number | undefined) {
  return {
    ...(expires !== undefined && { Expires: expires }),
    Expired: expires !== undefined && Date.parse(expires) <= Date.now(),
    ...(lastUsed !== undefined && { LastUsed: new Date(lastUsed).toISOString() })
  }
}

/** The end of a token's line: `, expires 2030-01-01T00:00:00.000Z, never used`. */
export function tokenUseText({ Expires, Expired, LastUsed }: TokenUse): string {
  const until = Expires === undefined ? '' : `, ${Expired ? 'expired' : 'expires'} ${Expires}`
  return `${until}, ${LastUsed === undefined ? 'never used' : `last used ${LastUsed}`}`
}
