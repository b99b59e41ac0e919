import { z } from 'zod'
import { p, value } from '../../core/index.ts'

/** The answer of all that change an object: the CID of what came of it. */
export const hashReply = value(z.object({ Hash: z.string() }))

export const hashText = ({ Hash }: { Hash: string }): string => `${Hash}\n`

export const allowNonUnixfs = p.bool('Change the links of an object that is no UnixFS folder as well. Folders in shards break by that.')

export const allowBigBlock = p.bool('Allow results of more than 1 MiB, which other peers may refuse.').default(false)
