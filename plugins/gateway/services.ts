import { Blocks, Dag, Denylist, Health, Host, Log, Names, Network, optional, ReadAhead, Repo, Routing } from '../../core/index.ts'
import { type GatewayConfig } from './config.ts'
import { type ContentNames } from './names.ts'
import { ContentRequest } from './request/content.ts'
import { GatewaySettings } from './settings.ts'

/** The services that answers are made with, beside the request. */
export interface GatewayServices {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly names: ContentNames
  readonly settings: GatewaySettings
  readonly config: GatewayConfig
}

/** Answers a request in one form, through `request.reply`. What it throws before anything was sent is answered as an error. */
export type Answer = (request: ContentRequest, services: GatewayServices) => Promise<void> | void

export const gatewayNeeds = {
  blocks: Blocks,
  dag: Dag,
  budget: optional(ReadAhead),
  names: optional(Names),
  denylist: optional(Denylist),
  routing: optional(Routing),
  network: optional(Network),
  repo: Repo,
  health: Health,
  host: Host,
  settings: GatewaySettings,
  log: Log
} as const
