import { blockOptions } from '../../../core/blocks/options.ts'
import { type CidEncoder, cidEncoder } from '../../../core/cid/encoder.ts'
import { compareUtf8 } from '../../../core/go/index.ts'
import { command, type DescribedLink, either, Host, PathResolver, p, UnixFs } from '../../../core/index.ts'
import { goMode } from '../../../core/unixfs/go-mode.ts'
import { timeJson } from '../../../core/unixfs/metadata-text.ts'
import { contentErrors } from '../errors.ts'
import { type LsOutput, listing, lsOutput, lsOutputBefore, lsTypes } from '../listing.ts'
import { ContentSettings } from '../settings.ts'

export const ls = command.read('ls', {
  help: 'List the entries of folders.',
  examples: [
    { title: 'List a folder', args: 'ls QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' },
    { title: 'List a large one while it is read', args: 'ls --stream --resolve-type=false QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }
  ],
  needs: { paths: PathResolver, unixfs: UnixFs, settings: ContentSettings, host: Host },
  args: { ipfsPath: p.contentPath('Folders to list.').many().fromBody() },
  options: {
    headers: p.bool('Name the columns.').alias('v'),
    resolveType: p.bool('Look at each entry for its type.').default(true),
    size: p.bool('Look at each entry for its size.').default(true),
    long: p.bool('With columns for mode and time, in text.').alias('l'),
    stream: p.bool('Send entries as they are found, in no order.').alias('s')
  },
  reply: either(lsOutput, lsOutput),
  levels: { '0.28': { reply: either(lsOutputBefore, lsOutputBefore) } },
  xml: 'LsOutput',
  text: (item, call) => listing(item, call.options, call.args.ipfsPath.length > 1),
  escapes: ['Name'],
  run({ paths, unixfs, settings, host }, call) {
    const { resolveType, size, stream } = call.options
    const encode = cidEncoder(call.options)
    const lsLink = linkOf(encode, host.level === '0.28')
    const options = { ...blockOptions(call), resolve: resolveType || size }
    const linksOf = async (path: string) => unixfs.links((await paths.resolve(path, options)).cid, options)
    async function all(): Promise<LsOutput> {
      const Objects: LsOutput['Objects'] = []
      let size = 0
      for (const path of call.args.ipfsPath) {
        const found: LsLink[] = []
        for await (const links of await linksOf(path)) {
          for (const one of links) {
            const link = lsLink(one)
            size += sizeOf(link)
            found.push(link)
          }
          if (size > settings.maxListing) throw contentErrors.E_LISTING_TOO_LARGE(settings.maxListing)
        }
        Objects.push({ Hash: path, Links: sorted(found) })
      }
      return { Objects }
    }
    return stream ? each(call.args.ipfsPath, linksOf, lsLink) : all()
  }
})

/** The links of each path as they are found. */
async function* each(
  paths: readonly string[],
  linksOf: (path: string) => Promise<AsyncIterable<readonly DescribedLink[]>>,
  lsLink: (link: DescribedLink) => LsLink
): AsyncGenerator<LsOutput> {
  for (const path of paths) {
    for await (const links of await linksOf(path)) for (const one of links) yield { Objects: [{ Hash: path, Links: [lsLink(one)] }] }
  }
}

type LsLink = LsOutput['Objects'][0]['Links'][0]

/** Links as the answer has them. Its fields for a mode and a time are none of 0.28: there a link has them only where one was stored. */
function linkOf(encode: CidEncoder, isOlder: boolean) {
  return ({ name, cid, size, type, target, mode, mtime }: DescribedLink): LsLink => {
    const link = { Name: name, Hash: encode(cid), Size: size, Type: lsTypes[type], Target: target }
    if (isOlder && mode === undefined && mtime === undefined) return link
    return { ...link, Mode: mode === undefined ? 0 : goMode(mode, type === 'unknown' ? 'file' : type), ModTime: timeJson(mtime) }
  }
}

/** About what it takes in the answer: its texts, and what stands around them. */
function sizeOf({ Name, Hash, Target }: LsLink): number {
  return 64 + Name.length + Hash.length + Target.length
}

/** By the bytes of the names; most directories already are, and most names are ASCII. */
function sorted(links: LsLink[]): LsLink[] {
  return links.sort((a, b) => (a.Name === b.Name ? 0 : compareUtf8(a.Name, b.Name)))
}
