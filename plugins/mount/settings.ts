import { z } from 'zod'
import { settings, type Token } from '../../core/index.ts'

export const mountSettings = z.strictObject({
  maxRequests: z.int().min(2).max(1024).default(64).describe('Requests of the kernel that are worked on at a time, for each mount.'),
  maxNodes: z
    .int()
    .min(16)
    .max(10_000_000)
    .default(500_000)
    .describe('Files and folders that the kernel may hold at a time, for each mount.'),
  maxHandles: z.int().min(1).max(65_536).default(1024).describe('Files and folders that may be open at a time, for each mount.'),
  maxEntries: z.int().min(16).max(10_000_000).default(200_000).describe('Entries of a folder that is listed.'),
  maxWaiting: z
    .int()
    .min(1 << 20)
    .max(1 << 30)
    .default(64 << 20)
    .describe('Bytes that were written to open files of the mutable tree and are no part of it yet.')
})

export type MountSettings = z.output<typeof mountSettings>
export const MountSettings: Token<MountSettings> = settings<typeof mountSettings>()
