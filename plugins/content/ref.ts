import type { RefReply } from '../../core/blocks/ref-reply.ts'
import { contentErrors } from './errors.ts'

/** @throws E_REFS what a reader of JSON finds as `Err` */
export function refText({ Ref, Err }: RefReply): string {
  if (Err !== '') throw contentErrors.E_REFS(Err)
  return `${Ref}\n`
}
