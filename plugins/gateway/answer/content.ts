import { answerMissing } from '../redirects/answer.ts'
import { type ContentRequest, isAbsent } from '../request/content.ts'
import { type Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerPlace } from './place.ts'

/** Answers with files and folders, or with the block where its codec knows none. */
export async function answerContent(request: ContentRequest, services: GatewayServices): Promise<void> {
  let place: Place
  try {
    place = await request.locate()
  } catch (error) {
    if (request.choice.format === 'default' && request.site.isIsolated && isAbsent(error)) return answerMissing(request, services, error)
    throw error
  }
  return answerPlace(request, place, services)
}
