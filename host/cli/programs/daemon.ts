import { p } from '../../../core/contract/params.ts'
import type { LogLevel } from '../../../core/index.ts'
import { program } from './program.ts'

export const daemon = program({
  path: 'daemon',
  help: 'Run a node.',
  tolerant: true,
  options: {
    init: p.bool('Make the repo where there is none.'),
    initConfig: p.file('With --init: a node configuration to start from.'),
    initProfile: p.string('With --init: configuration profiles, joined by commas.'),
    offline: p.bool('Talk to no peers, as with HOLDFAST_OFFLINE=1 or the plugin network off. Else the node joins the network.'),
    api: p.multiaddr('The address to serve the RPC on (else Addresses.API).'),
    gateway: p.multiaddr('The address to serve content on (else Addresses.Gateway).'),
    unrestrictedApi: p.bool('Serve all of /ipfs and /ipns on the RPC port too.'),
    enableGc: p.bool('Collect garbage from time to time.'),
    enablePubsubExperiment: p.bool('Switch pubsub on.'),
    enableNamesysPubsub: p.bool('Publish and resolve names over pubsub.'),
    enableMplexExperiment: p.bool('No effect: mplex is gone.'),
    routing: p.string('How to find content and peers.'),
    mount: p.bool('Mount /ipfs and /ipns.'),
    mountIpfs: p.file('Where to mount /ipfs.'),
    mountIpns: p.file('Where to mount /ipns.'),
    mountMfs: p.file('Where to mount the mutable tree.'),
    migrate: p.bool('Bring an older repo up to date.'),
    disableTransportEncryption: p.bool('Talk to peers in the clear.'),
    manageFdlimit: p.bool('Raise the limit of open files.'),
    agentVersionSuffix: p.string('Added to the agent version that peers see.'),
    logLevel: p
      .string('How much to log; where it is not said, what GOLOG_LOG_LEVEL says, else errors.')
      .oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  },
  examples: [
    { title: 'Run a node, and make its repo when it is run for the first time', args: 'daemon --init' },
    { title: 'Serve the RPC on another port', args: 'daemon --api /ip4/127.0.0.1/tcp/5011' }
  ],
  async run(call) {
    const { daemon } = await import('../node/daemon.ts')
    return daemon({ ...call.options, logLevel: call.options.logLevel as LogLevel | undefined }, call)
  }
})
