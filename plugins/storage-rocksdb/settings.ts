import { z } from 'zod'

const KIB = 1024
const MIB = 1024 * KIB

export const storageSettings = z.strictObject({
  inlineUpTo: z.int().min(0).max(MIB).default(4096).describe('Largest block, in bytes, that lies in the database itself. 0: none does.'),
  writeBuffer: z
    .int()
    .min(64 * KIB)
    .max(1024 * MIB)
    .default(8 * MIB)
    .describe('Bytes of blocks held in memory before they are written out as a table; twice as much while that goes on.'),
  journal: z
    .int()
    .min(0)
    .max(1024 * MIB)
    .default(4 * MIB)
    .describe(
      'Bytes of a file of the journal, which has small writes before the database does; there are two at most. 0: none is written, and every write waits for the database.'
    ),
  cache: z
    .int()
    .min(0)
    .max(1024 * MIB)
    .default(16 * MIB)
    .describe('Bytes of memory for the small blocks and the places of large ones that were written or read last.'),
  largeBlocks: z
    .enum(['segments', 'files'])
    .default('segments')
    .describe(
      "Where larger blocks lie: many to a file (`segments`), or each in a file of its own in the layout of Kubo's flatfs (`files`)."
    ),
  segmentSize: z
    .int()
    .min(64 * KIB)
    .max(1024 * MIB)
    .default(32 * MIB)
    .describe('Bytes after which the next segment begins. Collecting gives back the room of segments that are mostly unused.'),
  fileWriters: z
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe("Block files written at a time. Each keeps a thread of Node's pool busy, of which there are 4 by default."),
  keepFree: z
    .int()
    .min(0)
    .default(64 * MIB)
    .describe(
      'Bytes of the disk that are left free: what would be stored beyond is refused, while removing and collecting go on; keys and small blocks may use half of it. At most half of the file system. What the database needs to merge its tables is left besides. 0: until the system itself refuses, after which the database takes no writes until the node is started again.'
    )
})

export type StorageSettings = z.output<typeof storageSettings>
