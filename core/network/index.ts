/**
 * Parts that commands working with peers have in common.
 *
 * @packageDocumentation
 */
export { addressesOfNode, type ConnectOptions, connectWith } from './connect.ts'
export { commonBits, compareDistance, nearest, placeOf } from './distance.ts'
export { type Field, type Malformed, readFields, varint, varintAt, writeFields } from './fields.ts'
export { frames, writeFrame } from './frames.ts'
export { onlineForAction, onlineForCommand } from './online.ts'
export { Refusals } from './refusals.ts'
export {
  type DhtMode,
  MAX_KEYS_AT_ONCE,
  type MemberPlan,
  PROVIDE_STRATEGIES,
  type ProvideStrategy,
  provideStrategy,
  type ReproviderPlan,
  ROUTING_METHODS,
  type RouterPlan,
  type RoutingMethod,
  type RoutingPlan,
  reproviderPlan,
  routingPlan
} from './routing.ts'
export { type PeerView, peerView } from './view.ts'
export { withinTime } from './within-time.ts'
