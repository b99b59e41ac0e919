/**
 * Messages to all peers that listen to a topic, from the outside.
 *
 * @packageDocumentation
 */
import { HeldInputs } from '../../core/body/index.ts'
import { pubsubErrors } from '../../core/errors/pubsub.ts'
import { plugin, service } from '../../core/index.ts'
import { ls } from './commands/ls.ts'
import { peers } from './commands/peers.ts'
import { pub } from './commands/pub.ts'
import { reset } from './commands/reset.ts'
import { sub } from './commands/sub.ts'
import { pubsubCommandErrors } from './errors.ts'
import { PublishInputs } from './tokens.ts'

/** Bytes of messages that calls hold at a time. */
const MOST_INPUTS = 64 * 1024 * 1024

export default plugin({
  name: 'pubsub',
  api: '^1',
  status: 'deprecated',
  about: 'Messages to all peers that listen to a topic.',
  internal: [service(PublishInputs, { make: () => new HeldInputs(MOST_INPUTS, 'messages of pubsub/pub') })],
  commands: [ls, peers, pub, reset, sub],
  errors: { ...pubsubErrors, ...pubsubCommandErrors }
})
