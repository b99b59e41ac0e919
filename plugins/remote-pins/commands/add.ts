import { setTimeout as delay } from 'node:timers/promises'
import { blockOptions } from '../../../core/blocks/index.ts'
import { command, messageOf, PathResolver, p, stream } from '../../../core/index.ts'
import type { RemotePin } from '../client/answers.ts'
import type { RemoteService } from '../client/remote-service.ts'
import { remotePinErrors } from '../errors.ts'
import { checkNameText, serviceOption } from '../filters.ts'
import { ProviderHintsToken } from '../hints.ts'
import { columns, remotePinReply, replyOf } from '../replies.ts'
import { RemoteServicesToken } from '../services.ts'
import { RemotePinSettings } from '../settings.ts'

/** Bytes of a name (Kubo 0.28). */
const MOST_NAME = 255

export const add = command.write('pin/remote/add', {
  // waiting for the service is no reason to hold up collections here
  blocks: 'neither',
  help: 'Have a pinning service keep an object, with all it links to.',
  examples: [
    {
      title: 'Have a folder kept under a name',
      args: 'pin remote add --service=mine --name=site /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    },
    {
      title: 'Ask for it, and do not wait',
      args: 'pin remote add --service=mine --background QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { services: RemoteServicesToken, paths: PathResolver, hints: ProviderHintsToken, settings: RemotePinSettings },
  args: { ipfsPath: p.contentPath('Object to pin.').raw() },
  options: {
    service: serviceOption,
    name: p.string('A name for the pin.'),
    background: p.bool('Answer once the service has taken the request.').default(false)
  },
  reply: stream(remotePinReply),
  xml: 'RemotePinOutput',
  text: ({ Status, Cid, Name }) =>
    columns([
      ['CID:', Cid],
      ['Name:', Name],
      ['Status:', Status]
    ]),
  async *run({ services, paths, hints, settings }, call) {
    const { args, options, signal } = call
    const service = services.named(options.service, signal)
    const { name = '' } = options
    checkNameText(name)
    const { cid } = await paths.resolve(args.ipfsPath, blockOptions(call))
    if (Buffer.byteLength(name) > MOST_NAME) throw remotePinErrors.E_REMOTE_NAME()
    const pin = await service.add({ cid, name, origins: await hints.of(cid, signal) })
    await hints.connect(pin.delegates, signal)
    yield replyOf(options.background ? pin : await pinned(service, pin, settings.pollInterval, signal))
  }
})

/** Waits until the service has pinned. @throws E_REMOTE_FAILED, E_REMOTE_CHECK, E_REMOTE_OTHER, E_REMOTE_INTERRUPTED */
async function pinned(service: RemoteService, first: RemotePin, every: number, signal: AbortSignal): Promise<RemotePin> {
  const { requestId } = first
  let pin = first
  while (pin.status !== 'pinned') {
    if (pin.status === 'failed') throw remotePinErrors.E_REMOTE_FAILED(requestId)
    try {
      await delay(every, undefined, { signal })
      pin = await service.get(requestId)
    } catch (error) {
      if (signal.aborted) throw remotePinErrors.E_REMOTE_INTERRUPTED(requestId)
      throw remotePinErrors.E_REMOTE_CHECK(requestId, messageOf(error))
    }
    if (pin.requestId !== requestId) throw remotePinErrors.E_REMOTE_OTHER(requestId, pin.requestId)
  }
  return pin
}
