import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { uploadedTree } from '../../../core/body/tree.ts'
import { channel } from '../../../core/channel.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { parseBytes } from '../../../core/go/bytes.ts'
import { Blocks, command, commonErrors, files, Mfs, optional, Pins, p, Repo, stream } from '../../../core/index.ts'
import { SHARDING_THRESHOLD } from '../../../core/unixfs/import/directory.ts'
import { BlockWriter } from '../../../core/unixfs/import/writer.ts'
import { type AddEvent, Adder } from '../add/adder.ts'
import { checkAddOptions } from '../add/options.ts'
import { contentErrors } from '../errors.ts'

const event = z.object({
  Name: z.string(),
  Hash: z.string().optional(),
  Bytes: z.int().meta({ go: 'int64' }).optional(),
  Size: z.string().optional()
})

export const add = command({
  path: 'add',
  access: 'write',
  help: 'Add files and folders.',
  needs: { blocks: Blocks, pins: optional(Pins), mfs: optional(Mfs), repo: optional(Repo) },
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
    chunker: p.string('How files are cut: size-BYTES, rabin-MIN-AVG-MAX, buzhash.').alias('s').default('size-262144'),
    rawLeaves: p.bool('Keep the bytes of files in raw blocks.'),
    nocopy: p.bool('Refer to the files where they are (filestore).'),
    fscache: p.bool('Look for blocks in the filestore too.'),
    cidVersion: p.int('Version of CIDs; 1 uses raw leaves.'),
    hash: p.hash('Hash function; another than sha2-256 makes CIDs of version 1.').default('sha2-256'),
    inline: p.bool('Put small blocks into their CIDs.'),
    inlineLimit: p.int('Largest block to inline, in bytes.').default(32),
    pin: p.bool('Keep it from being collected: the default, where this node has pins.'),
    toFiles: p.string('A path of the mutable tree to put it at.')
  },
  body: files('path', 'What to add.'),
  reply: stream(event),
  xml: 'AddEvent',
  run({ blocks, pins, mfs, repo }, call) {
    const { options, body, signal } = call
    const at = blockOptions(call)
    return channel<AddEvent>(async push => {
      const enabled = [repo?.get('Experimental.FilestoreEnabled'), repo?.get('Experimental.UrlstoreEnabled')].includes(true)
      const naming = checkAddOptions(options, { enabled })
      const pinned = (options.pin ?? pins !== undefined) && !options.onlyHash
      if (options.toFiles !== undefined && mfs === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'to-files', 'mfs')
      if (pinned && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('add', 'pin', 'pins')
      const writer = new BlockWriter(options.onlyHash ? undefined : blocks, signal)
      const adder = new Adder(
        {
          naming,
          inlineUpTo: options.inline ? options.inlineLimit : undefined,
          chunker: options.chunker,
          trickle: options.trickle ?? false,
          progress: options.progress ?? false,
          silent: options.silent ?? false,
          shardingThreshold: threshold(repo),
          encode: cidEncoder(options),
          push
        },
        writer
      )
      /** Everything is stored, pinned and linked before the event that tells of the whole. */
      const finish = async ({ root, last }: Awaited<ReturnType<Adder['add']>>, name: string) => {
        await writer.settled()
        if (pinned) await pins!.addWritten(root.cid, at)
        if (last !== undefined)
          await push(last.Name === '' && name === '' && !options.wrapWithDirectory ? { ...last, Name: root.cid.toString() } : last)
        if (options.toFiles !== undefined) await mfs!.link(options.toFiles, name, root.cid, { signal })
      }
      if (options.wrapWithDirectory) {
        await finish(await adder.addFolder(uploadedTree(body), ''), '')
        return
      }
      let entries = 0
      for await (const entry of uploadedTree(body)) {
        entries++
        await finish(await adder.add(entry), entry.name)
      }
      if (entries === 0) throw contentErrors.E_FILE_EXPECTED()
    })
  }
})

function threshold(repo: Repo | undefined): number {
  const text = repo?.get<string>('Internal.UnixFSShardingSizeThreshold')
  return text === undefined || text === null ? SHARDING_THRESHOLD : Number(parseBytes(text))
}
