import type { BlockFiles } from './blocks/block-files.ts'
import { fileValue } from './blocks/values.ts'
import type { Database, Write } from './database/database.ts'
import { storageErrors } from './errors.ts'

/** The format of the database's contents; raised when an older program could not read them. Older ones are taken as they are. */
export const FORMAT = 3
const KEY = new TextEncoder().encode('format')

/** The format that is written down. @returns undefined where none is: the database is new, or the journal has it @throws E_STORAGE_FORMAT */
export async function readFormat(database: Database): Promise<number | undefined> {
  const format = (await database.get('state', KEY))?.[0]
  if (format !== undefined && format > FORMAT) throw storageErrors.E_STORAGE_FORMAT(format, FORMAT)
  return format
}

export function formatMark(): Write {
  return { family: 'state', key: KEY, value: new Uint8Array([FORMAT]) }
}

/** How a start that may take long is followed: `signal` ends it, `progress` is called while it goes on. */
export interface Following {
  readonly signal?: AbortSignal
  readonly progress?: () => void
}

/** Files looked at, and keys written, together. */
const AT_ONCE = 256

/**
 * Takes the block files of a folder for blocks, so that a repo of the reference moves in as it is. One that was broken off goes on where it
 * was when it is begun again: what has its key is not looked at any more.
 */
export async function adoptFiles(files: BlockFiles, database: Database, { signal, progress }: Following = {}): Promise<void> {
  let found: Uint8Array[] = []
  const take = async () => {
    const taken = found
    found = []
    await database.write(await writesFor(taken, files, database))
    signal?.throwIfAborted()
    progress?.()
  }
  for await (const { multihash } of files.list(signal)) if (multihash !== undefined && found.push(multihash) === AT_ONCE) await take()
  await take()
}

async function writesFor(multihashes: readonly Uint8Array[], files: BlockFiles, database: Database): Promise<Write[]> {
  const values = await database.getAll('blocks', multihashes)
  const unknown = multihashes.filter((_, i) => values[i] === undefined)
  const sizes = await Promise.all(unknown.map(multihash => files.size(multihash)))
  return unknown.flatMap((key, i) => (sizes[i] === undefined ? [] : [{ family: 'blocks', key, value: fileValue(sizes[i]) }]))
}
