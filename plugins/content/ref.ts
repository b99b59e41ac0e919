import { z } from 'zod'
import { contentErrors } from './errors.ts'

/** A reference, or why there is none. */
export const refReply = z.object({ Ref: z.string(), Err: z.string() })

/** @throws E_REFS what a reader of JSON finds as `Err` */
export function refText({ Ref, Err }: z.output<typeof refReply>): string {
  if (Err !== '') throw contentErrors.E_REFS(Err)
  return `${Ref}\n`
}
