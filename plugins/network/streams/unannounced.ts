import type { StreamHandler, StreamHandlerOptions, StreamHandlerRecord } from '@libp2p/interface'
import type { Registrar } from '@libp2p/interface-internal'

/**
 * Protocols that are served and that peers are not told of. libp2p tells peers what its registrar lists; to who asks for a protocol by its name it
 * answers by whether that list includes it.
 */
export class UnannouncedProtocols {
  readonly #handlers = new Map<string, StreamHandlerRecord>()

  constructor(registrar: Registrar) {
    const handlerOf = registrar.getHandler.bind(registrar)
    const announced = registrar.getProtocols.bind(registrar)
    registrar.getHandler = protocol => this.#handlers.get(protocol) ?? handlerOf(protocol)
    registrar.getProtocols = () => {
      const list = announced()
      const includes = list.includes.bind(list)
      list.includes = protocol => includes(protocol) || this.#handlers.has(protocol)
      return list
    }
  }

  /** @returns what ends it */
  serve(protocol: string, handler: StreamHandler, options: StreamHandlerOptions): () => Promise<void> {
    this.#handlers.set(protocol, { handler, options })
    return async () => void this.#handlers.delete(protocol)
  }
}
