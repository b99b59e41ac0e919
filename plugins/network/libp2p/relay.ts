/** A message of a relay, with the limits of the relayed connection. */
interface Told {
  readonly limit?: { readonly duration?: number | undefined } | undefined
}

interface Messages {
  write(message: Told, options?: object): Promise<void>
}

interface MessageStream {
  pb(codec: unknown): Messages
}

interface Hop {
  readonly stream: MessageStream
}

interface Relaying {
  handleHopProtocol(hop: Hop, options: object): Promise<void>
  stopHop(stop: { readonly request: Told }, options: object): Promise<unknown>
}

/** A relay that tells peers in seconds how long a relayed connection lasts, as the wire has it: the library sends its milliseconds. */
export function tellingSeconds<C>(make: (components: C) => object): (components: C) => object {
  return components => {
    const relay = make(components)
    const parts = relay as unknown as Relaying
    const [handle, stop] = [parts.handleHopProtocol.bind(relay), parts.stopHop.bind(relay)]
    parts.handleHopProtocol = (hop, options) => handle({ ...hop, stream: inSeconds(hop.stream) }, options)
    parts.stopHop = (wanted, options) => stop({ ...wanted, request: withSeconds(wanted.request) }, options)
    return relay
  }
}

function inSeconds(stream: MessageStream): MessageStream {
  const pb = (codec: unknown) => {
    const messages = stream.pb(codec)
    return { ...messages, write: (message: Told, options?: object) => messages.write(withSeconds(message), options) }
  }
  return { ...stream, pb }
}

function withSeconds(message: Told): Told {
  const { duration } = message.limit ?? {}
  return duration === undefined ? message : { ...message, limit: { ...message.limit, duration: Math.ceil(duration / 1000) } }
}
