import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { andThen } from '../../../core/concurrency/index.ts'
import { hasAlready } from '../reply/conditions.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerDag } from './dag.ts'
import { refuseDeniedIndex } from './directory.ts'
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
    const known = [`"${text}"`, page].find(etag => hasAlready(request.reply.request, [etag]))
    if (known !== undefined) {
      return andThen(refuseDeniedIndex(request, place), () => notModified(request, known, known === page))
    }
  }
  return answerUnixFs(request, place, services)
}
