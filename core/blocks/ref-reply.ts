import { z } from 'zod'

/** A reference to a block, or in `Err` why there is none: one line of `refs` and its kin. */
export const refReply = z.object({ Ref: z.string(), Err: z.string() })
