import { andThen } from '../../../core/concurrency/index.ts'
import { answerMissing } from '../redirects/answer.ts'
import { type ContentRequest, isAbsent } from '../request/content.ts'
import { type Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerPlace } from './place.ts'

/** Answers with files and folders, or with the block where its codec knows none. */
export function answerContent(request: ContentRequest, services: GatewayServices): Promise<void> | void {
  if (request.choice.format === 'default' && request.site.isIsolated) return answerOnSite(request, services)
  return andThen(request.locate(), place => answerPlace(request, place, services))
}

/** The same on a host of its own, where the site says what stands in the place of what is missing. */
async function answerOnSite(request: ContentRequest, services: GatewayServices): Promise<void> {
  let place: Place
  try {
    place = await request.locate()
  } catch (error) {
    if (isAbsent(error)) return answerMissing(request, services, error)
    throw error
  }
  return answerPlace(request, place, services)
}
