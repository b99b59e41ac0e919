import { z } from 'zod'
import { p, stream } from '../../core/index.ts'
import type { Converted } from './conversion.ts'

export const convertedReply = stream(
  z.object({
    CidStr: z.string(),
    Formatted: z.string(),
    ErrorMsg: z.string()
  })
)

/** CIDs of the query as they are, then lines of the body without the white space around them. */
export const cidArguments = p.cid('CIDs to write.').raw().many().fromBody({ trim: true })

export function convertedText({ CidStr, Formatted, ErrorMsg }: Converted): string {
  return `&{${CidStr} ${Formatted} ${ErrorMsg}}`
}

export function convertedLine({ CidStr, Formatted, ErrorMsg }: Converted): string {
  return ErrorMsg === '' ? `${Formatted}\n` : `${CidStr}: ${ErrorMsg}\n`
}
