/**
 * Messages from node to node, over a protocol of its own.
 *
 * ```yaml
 * plugins: { network: on, chat: on }
 * ```
 *
 * @packageDocumentation
 */
import { command, defineErrors, Network, optional, type PeerStream, p, plugin, service, stream, token, value } from 'holdfast'
import { z } from 'zod'

const PROTOCOL = '/chat/1.0.0'
/** Octets of a message at most: a peer decides how much it sends. */
const LONGEST = 4096

const errors = defineErrors({
  E_CHAT_OFFLINE: { message: () => 'chat: this node has no peers: switch the plugin network on' },
  E_CHAT_LONG: { wire: 'client', message: () => `chat: a message has ${LONGEST} octets at most` }
})

type Message = { readonly From: string; readonly Text: string }

/** The messages that come in, for all who listen. */
class Chat {
  readonly #network: Network
  readonly #listeners = new Set<(message: Message) => void>()

  constructor(network: Network) {
    this.#network = network
  }

  async start(): Promise<void> {
    await this.#network.handle(PROTOCOL, async incoming => {
      const Text = await textOf(incoming)
      for (const tell of this.#listeners) tell({ From: incoming.peer, Text })
    })
  }

  async say(peer: string, text: string, signal: AbortSignal): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > LONGEST) throw errors.E_CHAT_LONG()
    const outgoing = await this.#network.open(peer, PROTOCOL, { signal })
    await outgoing.write(bytes, { signal })
    await outgoing.end({ signal })
  }

  listen(tell: (message: Message) => void): () => void {
    this.#listeners.add(tell)
    return () => void this.#listeners.delete(tell)
  }
}

const ChatToken = token<Chat>('chat')

async function textOf(incoming: PeerStream): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of incoming) {
    length += part.length
    if (length > LONGEST) throw errors.E_CHAT_LONG()
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

const say = command.write('chat/say', {
  blocks: 'neither',
  help: 'Send a message to a peer.',
  needs: { chat: optional(ChatToken) },
  args: { peer: p.peerId('The peer.'), text: p.string('The message.') },
  reply: value(z.object({ Sent: z.int() })),
  async run({ chat }, { args, signal }) {
    if (chat === undefined) throw errors.E_CHAT_OFFLINE()
    await chat.say(args.peer, args.text, signal)
    return { Sent: args.text.length }
  }
})

const listen = command.read('chat/listen', {
  help: 'Show messages as they come in.',
  needs: { chat: optional(ChatToken) },
  reply: stream(z.object({ From: z.string(), Text: z.string() })),
  text: ({ From, Text }) => `${From}: ${Text}\n`,
  async *run({ chat }, { signal }) {
    if (chat === undefined) throw errors.E_CHAT_OFFLINE()
    const waiting: Message[] = []
    let wake = () => {}
    const end = chat.listen(message => {
      // who does not read gets the last ones
      if (waiting.push(message) > 100) waiting.shift()
      wake()
    })
    signal.addEventListener('abort', () => wake())
    try {
      while (!signal.aborted) {
        yield* waiting.splice(0)
        await new Promise<void>(resolve => {
          wake = resolve
          if (waiting.length > 0 || signal.aborted) resolve()
        })
      }
    } finally {
      end()
    }
  }
})

export default plugin({
  name: 'chat',
  api: '^1',
  about: 'Messages from node to node.',
  provides: [service(ChatToken, { needs: { network: Network }, onlyWith: [Network], make: ({ network }) => new Chat(network) })],
  commands: [say, listen],
  errors
})
