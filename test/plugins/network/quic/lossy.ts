import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { ExecutionContext } from 'ava'
import { seeded } from '../../../helpers/random.ts'

/**
 * A link between UDP sockets of this machine that loses datagrams both ways, always the same for the same seed. It ends with the test.
 *
 * @param to - the port that it leads to
 * @param loss - the part of datagrams that is lost, from 0 to 1
 * @returns the port to send to
 */
export async function lossyLink(t: ExecutionContext, to: number, loss: number, seed = 1): Promise<number> {
  const random = seeded(seed)
  const isLost = () => random.below(1_000) < loss * 1_000
  const backs = new Map<number, Socket>()
  const front = createSocket('udp4')
  t.teardown(() => {
    front.close()
    for (const back of backs.values()) back.close()
  })
  front.on('message', (datagram, { port }) => {
    let back = backs.get(port)
    if (back === undefined) {
      back = createSocket('udp4')
      backs.set(port, back)
      back.on('message', answer => {
        if (!isLost()) front.send(answer, port, '127.0.0.1')
      })
    }
    if (!isLost()) back.send(datagram, to, '127.0.0.1')
  })
  front.bind(0, '127.0.0.1')
  await once(front, 'listening')
  return front.address().port
}
