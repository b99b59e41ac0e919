import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import {
  Blocks,
  command,
  commonErrors,
  files,
  Host,
  Mfs,
  optional,
  Pins,
  p,
  References,
  Repo,
  stream,
  UnixFs
} from '../../../core/index.ts'
import { MOST_IN_CHUNK } from '../../../core/unixfs/chunker/spec.ts'
import { addedLines } from '../add-lines.ts'
import { namingOf } from '../add-options.ts'
import { checkAddOptions, layoutOf, metadataOf, newerAddOptions, shapeOf, toldFields, withConfigured } from '../newer-add-options.ts'
import { Referred } from '../referred.ts'

const int64 = z.union([z.int(), z.bigint()]).meta({ go: 'int64' })

/** The event as 0.28 has it. */
const addedBefore = z.object({
  Name: z.string(),
  Hash: z.string().optional(),
  Bytes: z.int().meta({ go: 'int64' }).optional(),
  Size: z.string().optional()
})
const added = addedBefore.extend({
  Mode: z.string().optional(),
  Mtime: int64.optional(),
  MtimeNsecs: z.int().optional()
})

export const add = command.write('add', {
  help: 'Add files and folders.',
  examples: [
    { title: 'Add a folder with all in it', args: 'add -r site' },
    { title: 'Learn what the CID of a file would be, storing nothing', args: 'add --only-hash --cid-version=1 site/index.html' }
  ],
  needs: {
    unixfs: UnixFs,
    blocks: Blocks,
    pins: optional(Pins),
    mfs: optional(Mfs),
    repo: optional(Repo),
    references: optional(References),
    host: Host
  },
  options: {
    recursive: p.bool('Take folders with all in them.').alias('r'),
    dereferenceArgs: p.bool('Follow symlinks that were named.'),
    stdinName: p.string('A name for what comes from standard input.'),
    hidden: p.bool('Take hidden files too.').alias('H'),
    ignore: p.string('Patterns of names to leave out.').many(),
    ignoreRulesPath: p.file('A file of such patterns.'),
    quiet: p.bool('Show the hash alone.').alias('q'),
    quieter: p.bool('Show the last hash alone.').alias('Q'),
    silent: p.bool('Tell of folders only.'),
    progress: p.bool('Tell how far each file has come.').alias('p'),
    trickle: p.bool('Lay files out as trickle DAGs, for reading from the front.').alias('t'),
    onlyHash: p.bool('Name everything, store nothing.').alias('n'),
    wrapWithDirectory: p.bool('Put all of it into one folder.').alias('w'),
    chunker: p
      .string('How files are cut: size-BYTES, rabin-MIN-AVG-MAX, buzhash; size-262144 unless the configuration says otherwise.')
      .alias('s'),
    rawLeaves: p.bool('Keep the bytes of files in raw blocks.'),
    nocopy: p.bool('Refer to the files where they are (filestore).'),
    fscache: p.bool('Look for blocks in the filestore too.'),
    cidVersion: p.int('Version of CIDs; 1 uses raw leaves.'),
    hash: p.hash('Hash function; another than sha2-256 makes CIDs of version 1. sha2-256 unless the configuration says otherwise.'),
    inline: p.bool('Put small blocks into their CIDs.'),
    inlineLimit: p.int('Largest block to inline, in bytes.').default(32),
    pin: p.bool('Keep it from being collected: the default.'),
    toFiles: p.string('A path of the mutable tree to put it at.'),
    ...newerAddOptions
  },
  body: files('path', 'The files and folders to add.', { folders: true }),
  reply: stream(added),
  levels: { '0.28': { reply: stream(addedBefore.loose()) } },
  xml: 'AddEvent',
  progress: {
    asks: () => ({ progress: true }),
    of: ({ Name, Bytes }) => (Bytes === undefined ? undefined : { done: Bytes, unit: 'bytes', of: Name, only: true })
  },
  terminal: { lines: (events, { options }) => addedLines(events, options) },
  escapes: ['Name'],
  async *run({ unixfs, blocks, pins, mfs, repo, references, host }, call) {
    const { signal } = call
    const options = withConfigured(call.options, repo)
    const mayRefer = ['Experimental.FilestoreEnabled', 'Experimental.UrlstoreEnabled'].some(key => repo?.get(key) === true)
    checkAddOptions(options, host.level)
    const metadata = metadataOf(options)
    const naming = namingOf(options, mayRefer, metadata !== undefined)
    if (options.nocopy && references === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'nocopy', 'filestore')
    const encode = cidEncoder(options)
    const {
      pinName,
      toFiles,
      nocopy,
      onlyHash,
      chunker = 'size-262144',
      silent,
      progress,
      trickle,
      inline,
      inlineLimit,
      wrapWithDirectory: wrap = false
    } = options
    const pin = (options.pin ?? true) && !onlyHash
    if (toFiles !== undefined && mfs === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'to-files', 'mfs')
    if (pin && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'pin', 'pins', 'pin=false stores without it')
    const referred = new Referred(blocks, blockOptions(call))
    const layout = layoutOf(trickle, repo)
    const inlineUpTo = inline ? inlineLimit : undefined
    const maxChunk = host.level === '0.28' ? undefined : MOST_IN_CHUNK
    const how = {
      ...naming,
      ...shapeOf(options),
      ...metadata,
      chunker,
      maxChunk,
      layout,
      inlineUpTo,
      wrap,
      nocopy,
      onlyHash,
      progress,
      signal
    } as const
    // what a part says of itself is told to callers of 0.28 who ask for it alone
    const tells = host.level !== '0.28' || metadata !== undefined
    let first = true
    for await (const event of unixfs.import(call.body, how)) {
      const told = tells ? toldFields(event.told, host.level) : {}
      if (event.type === 'progress') {
        if (progress) yield { Name: event.name, Bytes: event.bytes || undefined, ...told }
        continue
      }
      const { type, name, cid, size, top } = event
      if (type === 'directory') await referred.check()
      // Whoever is told of the whole may rely on it.
      if (pin && top !== undefined) await pins!.addWritten(cid, { ...blockOptions(call), name: pinName })
      if (!silent || type === 'directory') yield { Name: name, Hash: encode(cid), Size: String(size), ...told }
      if (nocopy && !onlyHash && type === 'file') referred.add(cid)
      if (top !== undefined) await referred.check()
      if (toFiles === undefined || top === undefined) continue
      await mfs!.link(toFiles, top, cid, { ...blockOptions(call), first })
      first = false
    }
  }
})
