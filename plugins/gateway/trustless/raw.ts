import { andThen } from '../../../core/concurrency/index.ts'
import { sendSeekable } from '../answer/seekable.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { attach, isKnown } from './attachment.ts'

/** A block as it is. A path may lead to it, and end inside of it. */
export function answerRaw(request: ContentRequest, services: GatewayServices): Promise<void> | void {
  return andThen(request.place(), place => answerBlock(request, place, services))
}

function answerBlock(request: ContentRequest, { cid, roots }: Place, services: GatewayServices): Promise<void> | void {
  const { blocks } = request.sources
  request.tellRoots(roots)
  const name = request.nameOf(cid)
  const etag = `"${name}.raw"`
  attach(request, `${name}.bin`)
  if (isKnown(request, etag)) return
  const options = { ...request.options, asked: true }
  return andThen(blocks.atHand?.(cid, options) ?? blocks.get(cid, options), bytes => {
    const read = () => Promise.reject(new Error('a block is whole'))
    const content = { etag, contentType: 'application/vnd.ipld.raw', size: BigInt(bytes.length), bytes, read }
    return sendSeekable(request, content, services)
  })
}
