import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

const count = (value: number, [least, most]: readonly [number, number], about: string) =>
  z.int().min(least).max(most).default(value).describe(`${about}.`)

export const mountSettings = z.strictObject({
  maxRequests: count(64, [2, 1024], 'Requests of the kernel that are worked on at a time, for each mount'),
  maxNodes: count(500_000, [16, 10_000_000], 'Files and folders that the kernel may hold at a time, for each mount'),
  maxHandles: count(1024, [1, 65_536], 'Files and folders that may be open at a time, for each mount'),
  maxEntries: count(200_000, [16, 10_000_000], 'Entries of a folder that is listed'),
  maxWaiting: count(64 << 20, [1 << 20, 1 << 30], 'Bytes that were written to open files of the mutable tree and are no part of it yet')
})

export type MountSettings = z.output<typeof mountSettings>
export const MountSettings: Token<MountSettings> = settings<typeof mountSettings>()
