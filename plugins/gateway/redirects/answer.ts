import type { GatewayServices } from '../answers.ts'
import type { ContentRequest } from '../request/content.ts'

/** Answers for a path that leads nowhere, as the site's own `_redirects` says; with the error where it says nothing. */
export function answerMissing(_request: ContentRequest, _services: GatewayServices, error: unknown): Promise<void> {
  throw error
}
