import { z } from 'zod'
import { cidToString } from '../../../core/cid/parse.ts'
import { formatBytes } from '../../../core/go/bytes.ts'
import { Bitswap, type Command, command, optional, p, value } from '../../../core/index.ts'
import { bitswapErrors } from '../errors.ts'

/** Announcements that the reference lets wait at most; here, none wait in the exchange (Kubo 0.28, boxo/bitswap). */
const PROVIDES_BUFFER = 256

const reply = z.object({
  Wantlist: z.array(z.object({ '/': z.string() })).describe('Blocks that this node waits for.'),
  Peers: z.array(z.string()).describe('Peers that are connected and speak bitswap.'),
  BlocksReceived: z.int(),
  DataReceived: z.int().describe('Bytes.'),
  DupBlksReceived: z.int().describe('Blocks that nobody waited for any more.'),
  DupDataReceived: z.int().describe('Bytes.'),
  MessagesReceived: z.int(),
  BlocksSent: z.int(),
  DataSent: z.int().describe('Bytes.'),
  ProvideBufLen: z.int()
})

/** The command that shows what was exchanged, under one of its names. */
function statUnder(path: string): Command {
  return command.read(path, {
    help: 'Show what was exchanged with peers since this node started.',
    examples: [{ title: 'With sizes for a person', args: `${path.replaceAll('/', ' ')} --human` }],
    needs: { bitswap: optional(Bitswap) },
    options: {
      verbose: p.bool('Name the peers, in text.').alias('v').default(false),
      human: p.bool('Print sizes in kB, MB, GB, in text.').default(false)
    },
    reply: value(reply),
    text: (stat, { options: { verbose, human } }) => lines(stat, verbose, human),
    run({ bitswap }) {
      if (bitswap === undefined) throw bitswapErrors.E_BITSWAP_STAT_OFFLINE()
      const stat = bitswap.stat()
      return {
        Wantlist: stat.wantlist.map(cid => ({ '/': cidToString(cid) })),
        Peers: [...stat.peers],
        BlocksReceived: stat.blocksReceived,
        DataReceived: stat.dataReceived,
        DupBlksReceived: stat.duplicateBlocksReceived,
        DupDataReceived: stat.duplicateDataReceived,
        MessagesReceived: stat.messagesReceived,
        BlocksSent: stat.blocksSent,
        DataSent: stat.dataSent,
        ProvideBufLen: 0
      }
    }
  })
}

function lines(stat: z.output<typeof reply>, verbose: boolean, human: boolean): string {
  const size = (bytes: number) => (human ? formatBytes(bytes) : String(bytes))
  return [
    'bitswap status',
    `\tprovides buffer: ${stat.ProvideBufLen} / ${PROVIDES_BUFFER}`,
    `\tblocks received: ${stat.BlocksReceived}`,
    `\tblocks sent: ${stat.BlocksSent}`,
    `\tdata received: ${size(stat.DataReceived)}`,
    `\tdata sent: ${size(stat.DataSent)}`,
    `\tdup blocks received: ${stat.DupBlksReceived}`,
    `\tdup data received: ${size(stat.DupDataReceived)}`,
    `\twantlist [${stat.Wantlist.length} keys]`,
    ...stat.Wantlist.map(key => `\t\t${key['/']}`),
    `\tpartners [${stat.Peers.length}]`,
    ...(verbose ? stat.Peers.map(peer => `\t\t${peer}`) : [])
  ]
    .map(line => `${line}\n`)
    .join('')
}

export const stat = statUnder('bitswap/stat')
export const statsBitswap = statUnder('stats/bitswap')
