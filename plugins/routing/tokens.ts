import type { HeldInputs } from '../../core/body/index.ts'
import { type Token, token } from '../../core/index.ts'
import type { ValueRecords } from './dht/records/records.ts'
import type { NodeRouting } from './service.ts'

/** Values that this node keeps, also without peers. */
export const RoutingValues: Token<ValueRecords> = token<ValueRecords>('routing-values')

/** Routing as this plugin makes it. */
export const RoutingOfNode: Token<NodeRouting> = token<NodeRouting>('node-routing')

/** The memory that calls hold of records that are sent to them. */
export type ValueInputs = HeldInputs
export const ValueInputs: Token<ValueInputs> = token<ValueInputs>('routing-inputs')
