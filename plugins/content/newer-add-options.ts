import { type ImportOptions, p, type Repo, type RpcLevel, type Told } from '../../core/index.ts'
import { isFanout, LEAST_FANOUT, MAX_FANOUT } from '../../core/unixfs/export/hamt.ts'
import { goMode, modeOfGo } from '../../core/unixfs/go-mode.ts'
import { FILE_LINKS } from '../../core/unixfs/import/layout.ts'
import { type Metadata, MOST_NANOSECONDS, storedMode, storedMtime } from '../../core/unixfs/metadata.ts'
import { contentErrors } from './errors.ts'

/** Most bytes of a pin's name, and of an inline block (Kubo 0.42). */
const MOST_NAME = 255
const MOST_INLINE = 128

/** Options that `add` learned since Kubo 0.28. */
export const newerAddOptions = {
  pinName: p.string('A name for the pins of what is added.'),
  mode: p.uint('Permissions of all files and folders, as a number: 0644.'),
  mtime: p.int64('Time of modification of all files and folders, in seconds since 1970.'),
  mtimeNsecs: p.uint('Nanoseconds of that time.'),
  preserveMode: p.bool('Keep the permissions that the sender tells of each part.'),
  preserveMtime: p.bool('Keep the time of modification that the sender tells of each part.'),
  maxFileLinks: p.int("Links of a file's node at most; 174 unless the configuration says otherwise."),
  maxDirectoryLinks: p.int('Entries of a folder at most before it is sharded; 0 for no limit.'),
  maxHamtFanout: p.int('Slots of a shard; 256 unless the configuration says otherwise.'),
  emptyDirs: p.bool('Keep folders without entries.').alias('E').default(true),
  dereferenceSymlinks: p.bool('Follow every symlink.'),
  fastProvideRoot: p.bool('Announce the root at once; this node announces what is pinned in its turn.'),
  fastProvideDag: p.bool('Announce all of it at once; of no effect here.'),
  fastProvideWait: p.bool('Wait for the announcement; of no effect here.')
}

interface NewerOptions {
  readonly pinName: string | undefined
  readonly mode: number | undefined
  readonly mtime: bigint | undefined
  readonly mtimeNsecs: number | undefined
  readonly preserveMode: boolean | undefined
  readonly preserveMtime: boolean | undefined
  readonly maxFileLinks: number | undefined
  readonly maxDirectoryLinks: number | undefined
  readonly maxHamtFanout: number | undefined
  readonly emptyDirs: boolean
}

interface CheckedOptions extends NewerOptions {
  readonly pin: boolean | undefined
  readonly onlyHash: boolean | undefined
  readonly inline: boolean | undefined
  readonly inlineLimit: number
  readonly wrapWithDirectory: boolean | undefined
  readonly toFiles: string | undefined
  readonly rawLeaves: boolean | undefined
}

/** Keys of the node configuration that stand for options which a caller leaves out. */
const IMPORT_KEYS = {
  cidVersion: 'Import.CidVersion',
  rawLeaves: 'Import.UnixFSRawLeaves',
  chunker: 'Import.UnixFSChunker',
  hash: 'Import.HashFunction',
  maxFileLinks: 'Import.UnixFSFileMaxLinks',
  maxDirectoryLinks: 'Import.UnixFSDirectoryMaxLinks',
  maxHamtFanout: 'Import.UnixFSHAMTDirectoryMaxFanout'
} as const
const LAYOUT_KEY = 'Import.UnixFSDAGLayout'
export const importKeys: readonly string[] = [...Object.values(IMPORT_KEYS), LAYOUT_KEY]

/** The options of a call, with those of the node configuration in the place of those that it leaves out. */
export function withConfigured<O extends object>(options: O, repo: Repo | undefined): O {
  const all = { ...options } as Record<string, unknown>
  for (const [name, key] of Object.entries(IMPORT_KEYS)) all[name] ??= repo?.get(key) ?? undefined
  return all as O
}

/** How a file is laid out: as the caller says, else the node configuration. @throws E_ADD_LAYOUT */
export function layoutOf(trickle: boolean | undefined, repo: Repo | undefined): 'balanced' | 'trickle' {
  const layout = trickle === undefined ? (repo?.get<string | null>(LAYOUT_KEY) ?? 'balanced') : trickle ? 'trickle' : 'balanced'
  if (layout !== 'balanced' && layout !== 'trickle') throw contentErrors.E_ADD_LAYOUT(LAYOUT_KEY, layout)
  return layout
}

/**
 * Checks what is new among the options. Some that 0.28 takes are refused by 0.42 alone.
 *
 * @throws E_ADD_…, E_MTIME_…
 */
export function checkAddOptions(options: CheckedOptions, level: RpcLevel): void {
  const { pinName, pin, onlyHash, mtime, mtimeNsecs = 0, inline, inlineLimit, maxHamtFanout, maxFileLinks, toFiles, rawLeaves } = options
  if (pinName !== undefined) {
    if (!pinName.isWellFormed()) throw contentErrors.E_ADD_PIN_NAME_TEXT()
    const size = Buffer.byteLength(pinName)
    if (size > MOST_NAME) throw contentErrors.E_ADD_PIN_NAME_LONG(size, MOST_NAME)
    if (pin === false || onlyHash) throw contentErrors.E_ADD_PIN_NAME()
  }
  if (mtimeNsecs > 0 && !mtime) throw contentErrors.E_MTIME_ALONE()
  if (mtimeNsecs > MOST_NANOSECONDS) throw contentErrors.E_MTIME_RANGE(MOST_NANOSECONDS)
  if (rawLeaves && (options.mode || mtime || options.preserveMode || options.preserveMtime)) throw contentErrors.E_ADD_METADATA_RAW()
  if (maxHamtFanout !== undefined && !isFanout(maxHamtFanout)) throw contentErrors.E_ADD_FANOUT(LEAST_FANOUT, MAX_FANOUT, maxHamtFanout)
  const { least, most } = FILE_LINKS
  if (maxFileLinks !== undefined && (maxFileLinks < least || maxFileLinks > most))
    throw contentErrors.E_ADD_FILE_LINKS(least, most, maxFileLinks)
  if (level === '0.28') return
  if (inline && inlineLimit > MOST_INLINE) throw contentErrors.E_ADD_INLINE_LIMIT(inlineLimit, MOST_INLINE)
  if (toFiles !== undefined && options.wrapWithDirectory && !onlyHash) throw contentErrors.E_WRAP_TO_FILES()
}

/** Metadata stored beside the bytes; undefined where there is none. */
export function metadataOf(options: NewerOptions): Pick<ImportOptions, 'metadata' | 'preserve'> | undefined {
  const { mode = 0, mtime = 0n, mtimeNsecs = 0, preserveMode, preserveMtime } = options
  if (!mode && !mtime && !preserveMode && !preserveMtime) return undefined
  const metadata: Metadata = { mode: storedMode(modeOfGo(mode)), mtime: mtime === 0n ? undefined : storedMtime(mtime, mtimeNsecs) }
  return { metadata, preserve: { mode: preserveMode, mtime: preserveMtime } }
}

/** How files and folders are laid out. */
export function shapeOf({ maxFileLinks, maxDirectoryLinks, maxHamtFanout, emptyDirs }: NewerOptions) {
  return { maxFileLinks, maxDirectoryLinks, fanout: maxHamtFanout, emptyDirectories: emptyDirs }
}

/** The mode and time of the part at the top in an event; to callers of 0.28 nothing of symlinks. */
export function toldFields(told: Told | undefined, level: RpcLevel): { Mode?: string; Mtime?: bigint; MtimeNsecs?: number } {
  if (told === undefined) return {}
  const { kind, mode, mtime } = told
  const go = kind === 'symlink' ? (level === '0.28' ? 0 : goMode(0o777, kind)) : goMode(mode ?? 0)
  return {
    ...(go !== 0 && { Mode: `0${go.toString(8)}` }),
    ...(mtime !== undefined && mtime.seconds !== 0n && { Mtime: mtime.seconds }),
    ...(mtime !== undefined && mtime.nanoseconds > 0 && { MtimeNsecs: mtime.nanoseconds })
  }
}
