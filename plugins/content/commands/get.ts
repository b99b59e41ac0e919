import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { blockOptions } from '../../../core/blocks/options.ts'
import { bytes, command, Host, PathResolver, p, UnixFs } from '../../../core/index.ts'
import { parseContentPath } from '../../../core/path/parse.ts'
import { contentErrors } from '../errors.ts'
import { saving } from '../saving.ts'

export const get = command.read('get', {
  help: 'Download a file or a folder, as a tar archive or compressed.',
  examples: [
    { title: 'Download a folder', args: 'get QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' },
    {
      title: 'Download it as a compressed archive',
      args: 'get --archive --compress -o site.tar.gz QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { paths: PathResolver, unixfs: UnixFs, host: Host },
  args: { ipfsPath: p.contentPath('The path to download.').fromBody() },
  options: {
    output: p.file('Where to store it.').alias('o'),
    archive: p.bool('As a tar archive.').alias('a'),
    compress: p.bool('Compressed with gzip.').alias('C'),
    compressionLevel: p.int('How hard to compress, 1 to 9.').alias('l'),
    progress: p.bool('Show progress where there is a terminal.').alias('p').default(true)
  },
  reply: bytes(),
  saves: ({ args, options }) => saving(args.ipfsPath, options),
  async run({ paths, unixfs, host }, call) {
    const { archive, compress, compressionLevel: level } = call.options
    if (compress && level !== undefined && (level < 1 || level > 9)) throw contentErrors.E_COMPRESSION_LEVEL()
    const { root, segments } = parseContentPath(call.args.ipfsPath)
    const options = blockOptions(call)
    const { cid } = await paths.resolve(call.args.ipfsPath, options)
    const node = await unixfs.open(cid, options)
    const length = BigInt.asUintN(64, node.size)
    const type = host.level === '0.28' ? {} : { type: compress ? 'application/gzip' : 'application/x-tar' }
    if (!compress) return { ...type, length, bytes: node.archive(segments.at(-1) ?? root) }
    if (archive) return { ...type, length, bytes: gzip(node.archive(segments.at(-1) ?? root), level) }
    if (node.type === 'directory') return { length, bytes: refused(), eager: false }
    return { ...type, length, bytes: gzip(await node.read(), level) }
  }
})

/** The reference promises a length before it notices; callers see that header beside the error. */
async function* refused(): AsyncGenerator<Uint8Array> {
  throw contentErrors.E_NOT_REGULAR()
}

function gzip(source: AsyncIterable<Uint8Array>, level: number = constants.Z_DEFAULT_COMPRESSION): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(source), createGzip({ level }), () => {})
}
