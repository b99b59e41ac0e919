import { z } from 'zod'
import { command, Network, optional, p, Repo, value } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { Mounts } from '../service.ts'

export const mount = command.admin('mount', {
  status: 'experimental',
  help: 'Mount /ipfs, /ipns and the mutable tree on folders of the machine of the node.',
  examples: [
    { title: 'On two folders', args: 'mount --ipfs-path=/mnt/ipfs --ipns-path=/mnt/ipns' },
    { title: 'The mutable tree as well, to be written', args: 'mount --ipfs-path=/mnt/ipfs --ipns-path=/mnt/ipns --mfs-path=/mnt/mfs' }
  ],
  needs: { mounts: Mounts, network: optional(Network), repo: Repo },
  options: {
    ipfsPath: p.string('Where /ipfs is mounted. Default: Mounts.IPFS of the node configuration.').alias('f').optional(),
    ipnsPath: p.string('Where /ipns is mounted. Default: Mounts.IPNS of the node configuration.').alias('n').optional(),
    mfsPath: p
      .string('Where the mutable tree is mounted. Default: Mounts.MFS of the node configuration, else it is not.')
      .alias('m')
      .optional()
  },
  reply: value(z.object({ IPFS: z.string(), IPNS: z.string(), MFS: z.string().optional(), FuseAllowOther: z.boolean() })),
  text: ({ IPFS, IPNS, MFS }) =>
    `IPFS mounted at: ${IPFS}\nIPNS mounted at: ${IPNS}\n${MFS === undefined ? '' : `MFS mounted at: ${MFS}\n`}`,
  async run({ mounts, network, repo }, { options }) {
    onlineForCommand(network)
    const ipfs = options.ipfsPath || repo.get<string>('Mounts.IPFS') || '/ipfs'
    const ipns = options.ipnsPath || repo.get<string>('Mounts.IPNS') || '/ipns'
    const mfs = options.mfsPath || repo.get<string>('Mounts.MFS') || undefined
    await mounts.mount({ ipfs, ipns, mfs, allowOther: repo.get<boolean>('Mounts.FuseAllowOther') === true })
    // the reference answers false whatever the configuration says
    return { IPFS: ipfs, IPNS: ipns, ...(mfs !== undefined && { MFS: mfs }), FuseAllowOther: false }
  }
})
