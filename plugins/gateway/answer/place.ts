import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { codecName } from '../../../core/cid/index.ts'
import { hasAlready } from '../reply/conditions.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerDag } from './dag.ts'
import { dagIndexEtag, dirIndexEtag } from './etags.ts'
import { notModified } from './not-modified.ts'
import { answerUnixFs } from './unixfs.ts'

/** Codecs whose blocks are sent as they are, and the ending of their Etags. */
const DATA: ReadonlySet<string> = new Set(['json', 'cbor', 'dag-json', 'dag-cbor'])

/** Answers with what lies at a place. */
export async function answerPlace(request: ContentRequest, place: Place, services: GatewayServices): Promise<void> {
  const { cid } = place
  const isUnixFs = cid.code === RAW || cid.code === DAG_PB
  const codec = isUnixFs ? '' : codecName(cid.code)
  const text = request.nameOf(cid)
  const form = request.choice.format === 'default' ? codec : request.choice.format
  const content = `"${text}${DATA.has(codec) ? `.${form}` : ''}"`
  if (request.reply.request.headers['if-none-match'] !== undefined) {
    const page = isUnixFs ? dirIndexEtag(text) : dagIndexEtag(text)
    if (hasAlready(request.reply.request, [content])) return notModified(request, content)
    if (hasAlready(request.reply.request, [page])) return notModified(request, page, true)
  }
  return isUnixFs ? answerUnixFs(request, place, services) : answerDag(request, services, place)
}
