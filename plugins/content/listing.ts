import { z } from 'zod'
import { printed } from '../../core/go/printed.ts'
import { modeOfGo } from '../../core/unixfs/go-mode.ts'
import { modeText, monthName, timeJson } from '../../core/unixfs/metadata-text.ts'
import { typeNames } from '../../core/unixfs/types.ts'

const linkBefore = z.object({
  Name: z.string(),
  Hash: z.string(),
  Size: z.union([z.int(), z.bigint()]).meta({ go: 'uint64' }),
  Type: z.int().meta({ string: typeName }),
  Target: z.string()
})
const link = linkBefore.extend({
  Mode: z.int().meta({ go: 'uint32' }).optional(),
  ModTime: z.string().optional()
})
/** The answer of `ls`. */
export const lsOutput = z.object({ Objects: z.array(z.object({ Hash: z.string(), Links: z.array(link) })) })

/** The same as 0.28 has it. */
export const lsOutputBefore = z.object({ Objects: z.array(z.object({ Hash: z.string(), Links: z.array(linkBefore.loose()) })) })

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
  /** Whether there are columns for mode and time. */
  readonly long?: boolean | undefined
}

/**
 * Folders as columns: hash, size, name. Where entries come one by one columns cannot be fitted, so they get a least width instead, and
 * nothing tells one folder from the next. (Kubo 0.28, core/commands/ls.go; Go's text/tabwriter)
 */
export function listing({ Objects }: LsOutput, { headers, size, stream, long }: ListingOptions, several: boolean): string {
  const least = stream ? 10 : 1
  let text = ''
  for (const [i, { Hash, Links }] of Objects.entries()) {
    if (!stream && several) text += `${i > 0 ? '\n' : ''}${Hash}:\n`
    const rows: string[][] = []
    if (!stream && headers) rows.push([...(long ? ['Mode'] : []), 'Hash', ...(size ? ['Size'] : []), ...(long ? ['ModTime'] : []), 'Name'])
    for (const link of Links) {
      const isDirectory = link.Type === lsTypes.directory
      const name = printed(link.Name) + (isDirectory ? '/' : '')
      const sizes = size ? [isDirectory ? '-' : String(link.Size)] : []
      rows.push(long ? [modeColumn(link), link.Hash, ...sizes, timeColumn(link), name] : [link.Hash, ...sizes, name])
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

type Link = LsOutput['Objects'][0]['Links'][0]

function modeColumn({ Mode = 0, Type }: Link): string {
  if (Mode === 0) return '-'
  return modeText(modeOfGo(Mode), Type === lsTypes.directory ? 'directory' : Type === lsTypes.symlink ? 'symlink' : 'file')
}

/** Half a year: what is younger has its hour in the listing, what is older its year (Kubo 0.42, core/commands/ls.go). */
const RECENT = 15_778_476n

function timeColumn({ ModTime }: Link): string {
  const [, date, clock] = /^(-?\d+-\d\d-\d\d)T(\d\d:\d\d)/.exec(ModTime ?? '') ?? []
  if (date === undefined || ModTime === timeJson()) return '-'
  const [year, month, day] = date.split('-')
  const seconds = BigInt(Math.floor(Date.parse(ModTime!) / 1000) || 0)
  const now = BigInt(Math.floor(Date.now() / 1000))
  const name = monthName(Number(month))
  return seconds > now - RECENT && seconds <= now + RECENT ? `${name} ${day} ${clock}` : `${name} ${day}  ${year}`
}
