import { z } from 'zod'
import { command, Network, optional, p, Repo, value } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { Mounts } from '../service.ts'

export const mount = command({
  path: 'mount',
  status: 'experimental',
  access: 'admin',
  help: 'Mount /ipfs and /ipns on folders of the machine of the node, to be read.',
  examples: [{ title: 'On two folders', args: 'mount --ipfs-path=/mnt/ipfs --ipns-path=/mnt/ipns' }],
  needs: { mounts: Mounts, network: optional(Network), repo: Repo },
  options: {
    ipfsPath: p.string('Where /ipfs is mounted. Default: Mounts.IPFS of the node configuration.').alias('f').optional(),
    ipnsPath: p.string('Where /ipns is mounted. Default: Mounts.IPNS of the node configuration.').alias('n').optional()
  },
  reply: value(z.object({ IPFS: z.string(), IPNS: z.string(), FuseAllowOther: z.boolean() })),
  text: ({ IPFS, IPNS }) => `IPFS mounted at: ${IPFS}\nIPNS mounted at: ${IPNS}\n`,
  async run({ mounts, network, repo }, { options }) {
    onlineForCommand(network)
    const ipfs = options.ipfsPath || repo.get<string>('Mounts.IPFS') || '/ipfs'
    const ipns = options.ipnsPath || repo.get<string>('Mounts.IPNS') || '/ipns'
    await mounts.mount({ ipfs, ipns })
    return { IPFS: ipfs, IPNS: ipns, FuseAllowOther: false }
  }
})
