import { blockOptions } from '../../../core/blocks/options.ts'
import { type CidEncoder, cidEncoder } from '../../../core/cid/encoder.ts'
import { command, type DescribedLink, either, PathResolver, p, UnixFs } from '../../../core/index.ts'
import { type LsOutput, listing, lsOutput, lsTypes } from '../listing.ts'

export const ls = command({
  path: 'ls',
  access: 'read',
  help: 'List the entries of folders.',
  examples: [
    { title: 'List a folder', args: 'ls QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' },
    {
      title: 'List a large folder while it is read',
      args: 'ls --stream --resolve-type=false QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { paths: PathResolver, unixfs: UnixFs },
  args: { ipfsPath: p.contentPath('Folders to list.').many().fromBody() },
  options: {
    headers: p.bool('Name the columns.').alias('v'),
    resolveType: p.bool('Look at each entry for its type.').default(true),
    size: p.bool('Look at each entry for its size.').default(true),
    stream: p.bool('Send entries as they are found, in no order.').alias('s')
  },
  reply: either(lsOutput, lsOutput),
  xml: 'LsOutput',
  text: (item, call) => listing(item, call.options, call.args.ipfsPath.length > 1),
  escapes: ['Name'],
  run({ paths, unixfs }, call) {
    const { resolveType, size, stream } = call.options
    const encode = cidEncoder(call.options)
    const options = { ...blockOptions(call), resolve: resolveType || size }
    async function* linksOf(path: string) {
      const { cid } = await paths.resolve(path, options)
      yield* unixfs.links(cid, options)
    }
    async function* each(): AsyncGenerator<LsOutput> {
      for (const path of call.args.ipfsPath) {
        for await (const links of linksOf(path)) for (const one of links) yield { Objects: [{ Hash: path, Links: [lsLink(one, encode)] }] }
      }
    }
    async function all(): Promise<LsOutput> {
      const Objects: LsOutput['Objects'] = []
      for (const path of call.args.ipfsPath) {
        const found: DescribedLink[] = []
        for await (const links of linksOf(path)) found.push(...links)
        Objects.push({ Hash: path, Links: sorted(found).map(one => lsLink(one, encode)) })
      }
      return { Objects }
    }
    return stream ? each() : all()
  }
})

function lsLink({ name, cid, size, type, target }: DescribedLink, encode: CidEncoder): LsOutput['Objects'][0]['Links'][0] {
  return { Name: name, Hash: encode(cid), Size: size, Type: lsTypes[type], Target: target }
}

/** By the bytes of the names; most directories already are, and most names are ASCII. */
function sorted(links: DescribedLink[]): DescribedLink[] {
  return links.sort((a, b) => (a.name === b.name ? 0 : compareBytes(a.name, b.name)))
}

function compareBytes(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return x < 0xd800 && y < 0xd800 ? x - y : Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  return a.length - b.length
}
