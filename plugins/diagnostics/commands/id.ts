import { z } from 'zod'
import { command, DEFAULT_LEVEL, Host, hasCode, Network, optional, p, Repo, value, versionOfLevel } from '../../../core/index.ts'
import { formatPeerId, inlinePublicKey, parsePeerId, peerIdString, tryPeerId } from '../../../core/keys/peer-id.ts'
import { peerView } from '../../../core/network/index.ts'
import { diagnosticsErrors } from '../errors.ts'

const reply = z.object({
  ID: z.string(),
  PublicKey: z.string().describe('libp2p protobuf, base64; empty where it is not known.'),
  Addresses: z.array(z.string()).nullable(),
  AgentVersion: z.string(),
  Protocols: z.array(z.string()).nullable()
})

type Id = z.input<typeof reply>

export const id = command.read('id', {
  control: true,
  help: 'Show who this node is, or what it knows of another.',
  examples: [{ title: "Show this node's ID in base36", args: 'id --peerid-base=base36' }],
  needs: { repo: Repo, host: Host, network: optional(Network) },
  args: { peerid: p.peerId('The other peer.').raw().optional() },
  options: {
    format: p.string('The template of the output, of: <id>, <aver>, <pubkey>, <addrs>, <protocols>, \\n, \\t.').alias('f'),
    peeridBase: p.string('How the ID is written: b58mh, or a multibase.').default('b58mh')
  },
  reply: value(reply),
  xml: 'IdOutput',
  text: (shown, { options }) => (options.format === undefined ? `${JSON.stringify(shown, null, '\t')}\n\n` : filled(options.format, shown)),
  async run({ repo, host, network }, { args, options, signal }) {
    const self = parsePeerId(repo.identity.peerId)
    formatPeerId(self, options.peeridBase)
    const peer = args.peerid === undefined ? self : tryPeerId(args.peerid)
    if (peer === undefined) throw diagnosticsErrors.E_ID_INVALID()
    const name = peerIdString(peer)
    const ID = formatPeerId(peer, options.peeridBase)
    if (name === repo.identity.peerId) return { ...viewOfNode(repo, host, network), ID }
    if (options.offline !== true) await connect(network, name, signal)
    // of a peer that was never met, the ID is all there is; its one address says no more
    const known = (await network?.peer(name)) ?? { id: name, publicKey: undefined, addresses: [], agent: '', protocols: [] }
    return { ...peerView({ ...known, publicKey: known.publicKey ?? inlinePublicKey(peer) }), ID }
  }
})

function viewOfNode({ identity: { peerId, publicKey } }: Repo, { version, level }: Host, network: Network | undefined) {
  const own = network?.agent ?? `holdfast/${version}`
  // programs such as the WebUI take an agent for one that has what they need by its first two parts: `kubo`, and the version whose RPC it speaks
  const agent = level === DEFAULT_LEVEL ? own : `kubo/${versionOfLevel(level)}/${own}`
  const addresses = network?.announced() ?? []
  // those of the second AutoNAT are told at the levels of the versions that have it
  const protocols = (network?.protocols() ?? []).filter(protocol => level !== DEFAULT_LEVEL || !protocol.startsWith('/libp2p/autonat/2/'))
  const view = peerView({ id: peerId, publicKey, addresses, agent, protocols })
  return network === undefined ? { ...view, Addresses: null, Protocols: null } : view
}

async function connect(network: Network | undefined, peer: string, signal: AbortSignal): Promise<void> {
  if (network === undefined) throw diagnosticsErrors.E_ID_NEEDS_ONLINE()
  try {
    await network.dial(peer, undefined, { signal })
  } catch (error) {
    if (hasCode(error, 'E_NO_PEERS_TO_ASK')) throw diagnosticsErrors.E_ID_NEEDS_ONLINE()
    throw error
  }
}

function filled(format: string, { ID, PublicKey, Addresses, AgentVersion, Protocols }: Id): string {
  return format
    .replaceAll('<id>', () => ID)
    .replaceAll('<aver>', () => AgentVersion)
    .replaceAll('<pubkey>', () => PublicKey)
    .replaceAll('<addrs>', () => (Addresses ?? []).join('\n'))
    .replaceAll('<protocols>', () => (Protocols ?? []).join('\n'))
    .replaceAll('\\n', '\n')
    .replaceAll('\\t', '\t')
}
