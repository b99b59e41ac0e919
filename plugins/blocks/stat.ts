import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { cidToString } from '../../core/cid/parse.ts'

/** The answer of block/put and block/stat about a block. Size in bytes. */
export const blockStat = z
  .object({ Key: z.string(), Size: z.int() })
  .meta({ string: (value: unknown) => statText(value as { Key: string; Size: number }) })
export type BlockStat = z.output<typeof blockStat>

/** The CID as it was asked for: these commands know no other base. */
export function statOf(cid: CID, size: number): BlockStat {
  return { Key: cidToString(cid), Size: size }
}

export function statText({ Key, Size }: BlockStat): string {
  return `Key: ${Key}\nSize: ${Size}\n`
}
