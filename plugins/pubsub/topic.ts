import { decodeMultibase, encodeMultibase, multibaseByName } from '../../core/cid/index.ts'
import { pubsubErrors } from '../../core/errors/pubsub.ts'
import { decodeUtf8, encodeUtf8 } from '../../core/go/utf8.ts'
import { messageOf, type Pubsub, p } from '../../core/index.ts'
import { pubsubCommandErrors } from './errors.ts'

const base64url = multibaseByName('base64url')

/** Bytes as they stand in answers. */
export const inBase64url = (bytes: Uint8Array): string => encodeMultibase(base64url, bytes)

/** A topic as it stands in arguments and answers. */
export const topicText = (topic: string): string => inBase64url(encodeUtf8(topic))

/** The text of a value that stands in base64url in an answer. */
export const textOf = (text: string): string => decodeUtf8(Buffer.from(text.slice(1), 'base64url'))

/** A topic: a command line takes it as text, as the reference's does. */
export const topicArgument = p.string('The topic; over the RPC in base64url, with its prefix u.').typed(topicText)

/** The topic that an argument names. @throws E_PUBSUB_TOPIC, E_PUBSUB_TOPIC_BASE */
export function topicOf(argument: string): string {
  const { base, bytes } = decoded(argument)
  if (base !== base64url) throw pubsubCommandErrors.E_PUBSUB_TOPIC_BASE()
  return decodeUtf8(bytes)
}

function decoded(argument: string): ReturnType<typeof decodeMultibase> {
  try {
    return decodeMultibase(argument)
  } catch (error) {
    throw pubsubCommandErrors.E_PUBSUB_TOPIC(messageOf(error))
  }
}

/** @throws E_PUBSUB_OFF */
export function switchedOn(pubsub: Pubsub | undefined): Pubsub {
  if (pubsub?.enabled !== true) throw pubsubErrors.E_PUBSUB_OFF()
  return pubsub
}
