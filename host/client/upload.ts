import type { Upload } from './content.ts'
import { Multipart } from './multipart.ts'
import type { OutgoingBody } from './transport.ts'

/** An upload on its way. */
export interface Sending {
  readonly contentType: string
  readonly body: OutgoingBody
  /** The error of the content that is uploaded. */
  failure(): { readonly error: unknown } | undefined
}

/**
 * An upload as the body of a request.
 *
 * @param streams - whether the body may be made while it is sent; else it is put together first
 * @param onSent - told how many bytes of the body have been taken so far
 */
export async function sendingOf(upload: Upload, streams: boolean, onSent?: (bytes: number) => void): Promise<Sending> {
  const form = new Multipart(upload)
  const { contentType } = form
  if (!streams) return { contentType, body: await form.blob(), failure: () => undefined }
  let failure: { error: unknown } | undefined
  const body = async function* () {
    let bytes = 0
    try {
      for await (const chunk of form.stream()) {
        yield chunk
        bytes += chunk.length
        onSent?.(bytes)
      }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  return { contentType, body: body(), failure: () => failure }
}
