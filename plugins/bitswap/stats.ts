import type { ExchangeLedger } from '../../core/index.ts'

/** Peers whose ledgers are kept; of more, those that nothing was exchanged with for longest are forgotten. */
const MOST_LEDGERS = 4096

interface Ledger {
  sent: number
  received: number
  exchanged: number
}

/** Counts of what was sent and received, in total and by peer. */
export class ExchangeStats {
  blocksReceived = 0
  dataReceived = 0
  duplicateBlocksReceived = 0
  duplicateDataReceived = 0
  messagesReceived = 0
  blocksSent = 0
  dataSent = 0
  readonly #ledgers = new Map<string, Ledger>()

  received(peer: string, bytes: number, isDuplicate: boolean): void {
    this.blocksReceived++
    this.dataReceived += bytes
    if (isDuplicate) {
      this.duplicateBlocksReceived++
      this.duplicateDataReceived += bytes
    }
    const ledger = this.#of(peer)
    ledger.received += bytes
    ledger.exchanged++
  }

  sent(peer: string, sizes: readonly number[]): void {
    if (sizes.length === 0) return
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    this.blocksSent += sizes.length
    this.dataSent += bytes
    const ledger = this.#of(peer)
    ledger.sent += bytes
    ledger.exchanged += sizes.length
  }

  ledger(peer: string): ExchangeLedger {
    return this.#ledgers.get(peer) ?? { sent: 0, received: 0, exchanged: 0 }
  }

  #of(peer: string): Ledger {
    const ledger = this.#ledgers.get(peer) ?? { sent: 0, received: 0, exchanged: 0 }
    this.#ledgers.delete(peer)
    this.#ledgers.set(peer, ledger)
    if (this.#ledgers.size > MOST_LEDGERS) this.#ledgers.delete(this.#ledgers.keys().next().value!)
    return ledger
  }
}
