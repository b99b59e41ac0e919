import { z } from 'zod'
import type { Call } from '../../core/index.ts'

const count = z.int().min(0)

/** The report of things that were moved from one repo to another, and that were not. */
const reportSchema = z.object({
  From: z.string().describe('Folder of the repo that was read.'),
  To: z.string().describe('Folder of the repo that was written.'),
  RepoVersion: count.describe("Version of Kubo's repo."),
  PeerID: z.string().describe('Whose repo both are.'),
  Blocks: z
    .object({
      Linked: count.describe('Of which the file got a second name.'),
      Copied: count.describe('Whose bytes were written anew.'),
      There: count.describe('That were stored before.'),
      Bytes: count.describe('In those that were linked and copied.'),
      Damaged: z.array(z.string()).describe('Files that are not the block that their name says, or cannot be read.')
    })
    .describe('Blocks, each of which was held against its hash.'),
  Pins: z.object({ Recursive: count, Direct: count, Named: count }).describe('Pins.'),
  Root: z.string().describe('The root of the mutable tree; empty where there was none.'),
  Keys: z.array(z.string()).describe("Names of the keys, but for the node's own."),
  Names: count.describe('Names that the node has published.'),
  References: count.describe('Blocks whose bytes stay in files or behind URLs.'),
  Configuration: z.array(z.string()).describe('Values of the configuration that were changed.'),
  Kept: z.array(z.string()).describe('The things that are otherwise here, and stay as they are here.'),
  Left: z.array(z.string()).describe('The things that were left behind, and why.')
})

export type Report = z.output<typeof reportSchema>

/** A step of the way, or the report at its end. */
export const itemSchema = z.object({
  Step: z.string().optional().describe('The step under way.'),
  Done: count.optional().describe('How many there are of it so far.'),
  Report: reportSchema.optional().describe('At the end.')
})

export type Item = z.output<typeof itemSchema>

/** A report of nothing so far. */
export function emptyReport(about: Pick<Report, 'From' | 'To' | 'RepoVersion' | 'PeerID'>): Report {
  return {
    ...about,
    Blocks: { Linked: 0, Copied: 0, There: 0, Bytes: 0, Damaged: [] },
    Pins: { Recursive: 0, Direct: 0, Named: 0 },
    Root: '',
    Keys: [],
    Names: 0,
    References: 0,
    Configuration: [],
    Kept: [],
    Left: []
  }
}

/** The report as lines; steps are shown as progress alone. */
export function text({ Report: report }: Item, _: Call<unknown, unknown, unknown>): string {
  if (report === undefined) return ''
  const { Blocks: blocks, Pins: pins } = report
  const rows: Array<readonly [string, string]> = [
    ['peer', report.PeerID],
    ['from', report.From],
    ['to', report.To],
    ['blocks', `${blocks.Linked} linked, ${blocks.Copied} copied (${blocks.Bytes} bytes), ${blocks.There} there before`],
    ...blocks.Damaged.map(file => ['damaged', file] as const),
    ['pins', `${pins.Recursive} recursive, ${pins.Direct} direct, ${pins.Named} with a name`],
    ['tree', report.Root === '' ? 'none' : report.Root],
    ['keys', report.Keys.length === 0 ? 'none' : report.Keys.join(', ')],
    ['names', String(report.Names)],
    ['references', String(report.References)],
    ...report.Configuration.map(change => ['changed', change] as const),
    ...report.Kept.map(kept => ['kept', kept] as const),
    ...report.Left.map(left => ['left', left] as const)
  ]
  return rows.map(([name, value]) => `${name.padEnd(10)}  ${value}\n`).join('')
}
