import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { type CidEncoding, cidEncoder } from '../../core/cid/encoder.ts'
import { p } from '../../core/index.ts'

export const pinsReply = z.object({ Pins: z.array(z.string()) })

/** Paths of what is to be pinned or unpinned; a body may carry more, one a line. */
export const pathsArgument = (help: string) => p.contentPath(help).raw().many().fromBody()

interface Listed {
  readonly Keys?: Readonly<Record<string, unknown>>
}

/** The roots that are kept, for a shell. */
export const pinnedRoots = ({ Keys = {} }: Listed): string[] => Object.keys(Keys)

/** How a call writes CIDs. A pin knows its default text already. @throws E_MULTIBASE_UNSUPPORTED */
export function pinEncoder(options: CidEncoding): (of: { readonly cid: CID; readonly text?: string }) => string {
  const encode = cidEncoder(options)
  const isDefault = !options.cidBase && !options.upgradeCidv0InOutput
  return isDefault ? ({ cid, text }) => text ?? encode(cid) : ({ cid }) => encode(cid)
}
