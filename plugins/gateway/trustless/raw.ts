import { sendSeekable } from '../answer/seekable.ts'
import type { ContentRequest } from '../request/content.ts'
import type { GatewayServices } from '../services.ts'
import { attach, isKnown } from './attachment.ts'

/** A block as it is. A path may lead to it, and end inside of it. */
export async function answerRaw(request: ContentRequest, services: GatewayServices): Promise<void> {
  const { cid, roots } = await request.place()
  request.tellRoots(roots)
  const name = request.nameOf(cid)
  const etag = `"${name}.raw"`
  attach(request, `${name}.bin`)
  if (isKnown(request, etag)) return
  const bytes = await request.sources.blocks.get(cid, { ...request.options, asked: true })
  const pieces = async function* (from: bigint, length: bigint) {
    yield bytes.subarray(Number(from), Number(from + length))
  }
  return sendSeekable(
    request,
    {
      etag,
      contentType: 'application/vnd.ipld.raw',
      size: BigInt(bytes.length),
      bytes,
      read: async ({ start, length }) => pieces(start, length)
    },
    services
  )
}
