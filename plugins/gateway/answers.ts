import type { Blocks, Dag } from '../../core/index.ts'
import { answerContent } from './answer/content.ts'
import { answerDag } from './answer/dag.ts'
import type { GatewayConfig } from './config.ts'
import type { ContentNames } from './names.ts'
import type { ContentRequest } from './request/content.ts'
import type { Format } from './request/format.ts'
import type { GatewaySettings } from './settings.ts'
import { trustless } from './trustless/index.ts'

/** What answers are made of, beside the request. */
export interface GatewayServices {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly names: ContentNames
  readonly settings: GatewaySettings
  readonly config: GatewayConfig
}

/** Answers a request in one form, through `request.reply`. What it throws before anything was sent is answered as an error. */
export type Answer = (request: ContentRequest, services: GatewayServices) => Promise<void> | void

/** The answer of each form; a form without one is refused as one that is not supported. */
export const answers: Readonly<Partial<Record<Format, Answer>>> = {
  default: answerContent,
  json: answerContent,
  cbor: answerContent,
  'dag-json': answerDag,
  'dag-cbor': answerDag,
  ...trustless
}
