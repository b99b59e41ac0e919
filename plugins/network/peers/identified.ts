import type { Connection } from '@libp2p/interface'
import type { Node } from '../libp2p/node.ts'

/** Connections whose peers have said what they are. */
export class Identified {
  readonly #node: Node
  readonly #timeout: number
  readonly #all = new WeakSet<Connection>()

  /** @param timeout - how long a new peer is waited for, in milliseconds */
  constructor(node: Node, timeout: number) {
    this.#node = node
    this.#timeout = timeout
    node.addEventListener('peer:identify', ({ detail }) => void this.#all.add(detail.connection))
  }

  /** Waits until the peer has said what it is, but not for long: some never do. @throws the signal's reason */
  async wait(connection: Connection, signal: AbortSignal | undefined): Promise<void> {
    const node = this.#node
    await new Promise<void>(resolve => {
      const look = () => {
        if (this.#all.has(connection) || connection.status !== 'open' || signal?.aborted) over()
      }
      const over = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', over)
        node.removeEventListener('peer:identify', look)
        node.removeEventListener('connection:close', look)
        resolve()
      }
      const timer = setTimeout(over, this.#timeout)
      signal?.addEventListener('abort', over)
      node.addEventListener('peer:identify', look)
      node.addEventListener('connection:close', look)
      look()
    })
    signal?.throwIfAborted()
  }
}
