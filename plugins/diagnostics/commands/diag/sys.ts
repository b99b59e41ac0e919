import { z } from 'zod'
import { command, Exchange, Host, optional, Repo, value, versionOfLevel } from '../../../../core/index.ts'
import { diskInfo, interfaceAddresses, memoryInfo, runtimeInfo } from '../../system.ts'

const bytes = z.union([z.bigint(), z.int()])

const reply = z.object({
  diskinfo: z.object({ free_space: bytes, fstype: z.string(), total_space: bytes }).describe('Of the file system with the repo.'),
  environment: z.object({ GOPATH: z.string(), IPFS_PATH: z.string() }),
  ipfs_commit: z.string().describe('The program and its own version.'),
  ipfs_version: z.string().describe('The level of the RPC.'),
  memory: z.object({ swap: bytes, virt: bytes }),
  net: z.object({ interface_addresses: z.array(z.string()), online: z.boolean() }),
  runtime: z.object({
    arch: z.string(),
    compiler: z.string(),
    gomaxprocs: z.int(),
    numcpu: z.int(),
    numgoroutines: z.int(),
    os: z.string(),
    version: z.string()
  })
})

export const diagSys = command.admin('diag/sys', {
  control: true,
  help: 'Show the machine that this node runs on.',
  examples: [{ title: 'Show the machine', args: 'diag sys' }],
  needs: { host: Host, repo: Repo, exchange: optional(Exchange) },
  reply: value(reply),
  terminal: shown => `${JSON.stringify(shown, (_, of) => (typeof of === 'bigint' ? Number(of) : of), 2)}\n`,
  onlyReads: () => true,
  run: async ({ host, repo, exchange }) => ({
    diskinfo: await diskInfo(repo.path ?? process.cwd()),
    environment: { GOPATH: process.env['GOPATH'] ?? '', IPFS_PATH: process.env['IPFS_PATH'] ?? '' },
    ipfs_commit: `holdfast/${host.version}`,
    ipfs_version: versionOfLevel(host.level),
    memory: await memoryInfo(),
    net: { interface_addresses: interfaceAddresses(), online: exchange !== undefined },
    runtime: runtimeInfo()
  })
})
