import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import type { ServiceMap } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import type { ExecutionContext } from 'ava'
import { createLibp2p, type Libp2p, type Libp2pOptions } from 'libp2p'

/**
 * A node of plain libp2p on a free port of this machine, over TCP, Noise and Yamux, that runs no protocol but those of its services. It stops when the
 * test ends.
 *
 * @param options - go before these
 */
export async function libp2pNode<T extends ServiceMap>(
  t: Pick<ExecutionContext, 'teardown'>,
  options: Libp2pOptions<T> = {}
): Promise<Libp2p<T>> {
  const node = await createLibp2p<T>({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    ...options
  })
  t.teardown(async () => void (await node.stop()))
  return node
}
