import { answerContent } from './answer/content.ts'
import { answerDag } from './answer/dag.ts'
import type { Format } from './request/format.ts'
import type { Answer } from './services.ts'
import { trustless } from './trustless/index.ts'

/** The answer of each form; a form without one is refused as one that is not supported. */
export const answers: Readonly<Partial<Record<Format, Answer>>> = {
  default: answerContent,
  json: answerContent,
  cbor: answerContent,
  'dag-json': answerDag,
  'dag-cbor': answerDag,
  ...trustless
}
