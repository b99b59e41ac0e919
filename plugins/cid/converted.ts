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

export function convertedLine({ Formatted }: Converted): string {
  return `${Formatted}\n`
}

/** The lines that a terminal shows of CIDs that cannot be converted. */
export const conversionFailure = {
  of: ({ CidStr, ErrorMsg }: Converted): string | undefined => (ErrorMsg === '' ? undefined : `${CidStr}: ${ErrorMsg}`),
  message: 'errors while displaying some entries'
}
