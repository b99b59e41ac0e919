import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { hasAlready } from '../reply/conditions.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerDag } from './dag.ts'
import { dirIndexEtag } from './etags.ts'
import { notModified } from './not-modified.ts'
import { answerUnixFs } from './unixfs.ts'

/** Answers with what lies at a place. */
export function answerPlace(request: ContentRequest, place: Place, services: GatewayServices): Promise<void> | void {
  const { cid } = place
  const isUnixFs = cid.code === RAW || cid.code === DAG_PB
  // whether data is shown as a page depends on who asks
  if (!isUnixFs) return answerDag(request, services, place)
  if (request.reply.request.headers['if-none-match'] !== undefined) {
    const text = request.nameOf(cid)
    const page = dirIndexEtag(text)
    if (hasAlready(request.reply.request, [`"${text}"`])) return notModified(request, `"${text}"`)
    if (hasAlready(request.reply.request, [page])) return notModified(request, page, true)
  }
  return answerUnixFs(request, place, services)
}
