import { z } from 'zod'
import { typeNames } from '../../core/unixfs/types.ts'
import { printed } from './printed.ts'

const link = z.object({
  Name: z.string(),
  Hash: z.string(),
  Size: z.union([z.int(), z.bigint()]).meta({ go: 'uint64' }),
  Type: z.int().meta({ string: typeName }),
  Target: z.string()
})
/** What `ls` answers. */
export const lsOutput = z.object({ Objects: z.array(z.object({ Hash: z.string(), Links: z.array(link) })) })

/** A type by its name in UnixFS, which is what Go prints. */
function typeName(type: unknown): string {
  return typeNames[Number(type)] ?? String(type)
}

export type LsOutput = z.output<typeof lsOutput>

/** Numbers of UnixFS types, as this answer has them. */
export const lsTypes = { unknown: 0, directory: 1, file: 2, symlink: 4 } as const

interface ListingOptions {
  readonly headers?: boolean | undefined
  readonly size: boolean
  readonly stream?: boolean | undefined
}

/**
 * Folders as columns: hash, size, name. Where entries come one by one columns cannot be fitted, so they get a least width instead, and
 * nothing tells one folder from the next. (Kubo 0.28, core/commands/ls.go; Go's text/tabwriter)
 */
export function listing({ Objects }: LsOutput, { headers, size, stream }: ListingOptions, several: boolean): string {
  const least = stream ? 10 : 1
  let text = ''
  for (const [i, { Hash, Links }] of Objects.entries()) {
    if (!stream && several) text += `${i > 0 ? '\n' : ''}${Hash}:\n`
    const rows: string[][] = []
    if (!stream && headers) rows.push(size ? ['Hash', 'Size', 'Name'] : ['Hash', 'Name'])
    for (const link of Links) {
      const isDirectory = link.Type === lsTypes.directory
      const name = printed(link.Name) + (isDirectory ? '/' : '')
      rows.push(size ? [link.Hash, isDirectory ? '-' : String(link.Size), name] : [link.Hash, name])
    }
    text += columns(rows, least)
  }
  return text
}

/** Rows of equally many cells, all columns but the last padded to the widest cell and one space. */
function columns(rows: readonly string[][], least: number): string {
  const widths = (rows[0] ?? []).map((_, i) => rows.reduce((most, row) => Math.max(most, [...row[i]!].length + 1), least))
  return rows.map(row => `${row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('')}\n`).join('')
}
