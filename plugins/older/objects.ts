import { z } from 'zod'
import type { CidEncoder } from '../../core/cid/encoder.ts'
import type { ProtoLink } from '../../core/dag/proto-node.ts'
import { Blocks, Dag, PathResolver, p, value } from '../../core/index.ts'

/** The services that objects are found, read and stored with. */
export const objectNeeds = { blocks: Blocks, dag: Dag, paths: PathResolver }

export const linkSchema = z.object({
  Name: z.string(),
  Hash: z.string(),
  Size: z.union([z.int(), z.bigint()]).meta({ go: 'uint64' })
})

/** The answer of all that make an object: its CID. */
export const hashReply = value(z.object({ Hash: z.string() }))

export const hashText = ({ Hash }: { Hash: string }): string => `${Hash}\n`

export const keyArgument = p.contentPath('The object.').fromBody()

export const dataEncoding = p.string('How the data are written: text or base64.').default('text').oneOf('text', 'base64')

export function shownLinks(links: readonly ProtoLink[], encode: CidEncoder): Array<z.output<typeof linkSchema>> {
  return links.map(({ name, cid, size }) => ({ Name: name, Hash: encode(cid), Size: size }))
}
