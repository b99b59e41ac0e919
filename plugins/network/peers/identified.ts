import type { Connection } from '@libp2p/interface'
import type { Node } from '../libp2p/node.ts'

/** Connections whose peers have said what they are, or have failed to. */
export class Identified {
  readonly #timeout: number
  readonly #all = new WeakSet<Connection>()
  /** Of those who wait. */
  readonly #looks = new Set<() => void>()

  /** @param timeout - how long a new peer is waited for, in milliseconds */
  constructor(node: Node, timeout: number) {
    this.#timeout = timeout
    node.addEventListener('peer:identify', ({ detail }) => this.over(detail.connection))
    node.addEventListener('connection:close', () => this.#look())
  }

  /** The peer has said what it is, or does not say it. */
  over(connection: Connection): void {
    this.#all.add(connection)
    this.#look()
  }

  /** Waits until the peer has said what it is, but not for long: some never do. @throws the signal's reason */
  async wait(connection: Connection, signal: AbortSignal | undefined): Promise<void> {
    const isOver = () => this.#all.has(connection) || connection.status !== 'open' || signal?.aborted === true
    if (!isOver()) {
      await new Promise<void>(resolve => {
        const look = () => {
          if (isOver()) over()
        }
        const over = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', over)
          this.#looks.delete(look)
          resolve()
        }
        const timer = setTimeout(over, this.#timeout)
        signal?.addEventListener('abort', over)
        this.#looks.add(look)
      })
    }
    signal?.throwIfAborted()
  }

  #look(): void {
    for (const look of this.#looks) look()
  }
}
