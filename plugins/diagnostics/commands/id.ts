import { z } from 'zod'
import { command, Host, p, Repo, value } from '../../../core/index.ts'
import { formatPeerId, inlinePublicKey, parsePeerId, peerIdString } from '../../../core/keys/peer-id.ts'
import { diagnosticsErrors } from '../errors.ts'

const reply = z.object({
  ID: z.string(),
  PublicKey: z.string().describe('libp2p protobuf, base64; empty where it is not known.'),
  Addresses: z.array(z.string()).nullable(),
  AgentVersion: z.string(),
  Protocols: z.array(z.string()).nullable()
})

type Id = z.input<typeof reply>

export const id = command({
  path: 'id',
  access: 'read',
  control: true,
  help: 'Show who this node is, or what it knows of another.',
  examples: [{ title: "Show this node's ID in base36", args: 'id --peerid-base=base36' }],
  needs: { repo: Repo, host: Host },
  args: { peerid: p.peerId('The other peer.').raw().optional() },
  options: {
    format: p.string('What to print: <id>, <aver>, <pubkey>, <addrs>, <protocols>, \\n, \\t.').alias('f'),
    peeridBase: p.string('How the ID is written: b58mh, or a multibase.').default('b58mh')
  },
  reply: value(reply),
  xml: 'IdOutput',
  text: (shown, { options }) => (options.format === undefined ? `${JSON.stringify(shown, null, '\t')}\n\n` : filled(options.format, shown)),
  run({ repo, host }, { args, options }) {
    const self = parsePeerId(repo.identity.peerId)
    formatPeerId(self, options.peeridBase)
    const peer = args.peerid === undefined ? self : parsed(args.peerid)
    const name = peerIdString(peer)
    const ID = formatPeerId(peer, options.peeridBase)
    if (name === repo.identity.peerId) {
      const PublicKey = base64(repo.identity.publicKey)
      return { ID, PublicKey, Addresses: null, AgentVersion: `holdfast/${host.version}`, Protocols: null }
    }
    if (options.offline !== true) throw diagnosticsErrors.E_ID_NEEDS_ONLINE()
    // of a peer that was never met, the ID is all there is; its one address says no more
    return { ID, PublicKey: base64(inlinePublicKey(peer) ?? []), Addresses: [`/p2p/${name}`], AgentVersion: '', Protocols: null }
  }
})

function parsed(text: string): Uint8Array {
  try {
    return parsePeerId(text)
  } catch {
    throw diagnosticsErrors.E_ID_INVALID()
  }
}

const base64 = (bytes: Iterable<number>) => Buffer.from([...bytes]).toString('base64')

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
