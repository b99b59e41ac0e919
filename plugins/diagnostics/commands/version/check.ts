import semver from 'semver'
import { z } from 'zod'
import { command, Host, type KnownPeer, Network, optional, p, value } from '../../../../core/index.ts'
import { onlineForCommand } from '../../../../core/network/index.ts'
import { diagnosticsErrors } from '../../errors.ts'

const reply = z.object({
  UpdateAvailable: z.boolean(),
  RunningVersion: z.string(),
  GreatestVersion: z.string().describe('The highest version among those that were looked at.'),
  PeersSampled: z.int().describe('Peers of this program, this node among them.'),
  WithGreaterVersion: z.int()
})

export const versionCheck = command.read('version/check', {
  status: 'newer',
  help: 'Look whether peers run a later version of this program. Nobody is asked for it: peers have said what they are.',
  examples: [{ title: 'See whether a tenth of the peers runs something later', args: 'version check --min-percent=10' }],
  needs: { host: Host, network: optional(Network) },
  options: { minPercent: p.int('Percent of peers, 1 to 100, that have to run a later version.').alias('t').default(5) },
  reply: value(reply),
  text: ({ UpdateAvailable, RunningVersion, GreatestVersion, PeersSampled, WithGreaterVersion }) =>
    UpdateAvailable
      ? `Update available: ${RunningVersion} runs here, ${WithGreaterVersion} of ${PeersSampled} run something later, up to ${GreatestVersion}.\n`
      : `No update available: ${RunningVersion} runs here, ${WithGreaterVersion} of ${PeersSampled} run something later.\n`,
  async run({ host, network }, { options }) {
    const online = onlineForCommand(network)
    const { minPercent } = options
    if (minPercent < 1 || minPercent > 100) throw diagnosticsErrors.E_VERSION_PERCENT(minPercent)
    const [program, running] = online.agent.split('/') as [string, string?]
    return compared(running ?? host.version, versionsOf(await online.peers(), program, online.self), minPercent)
  }
})

/** Versions that are no early ones, of peers that run the program. */
export function versionsOf(peers: ReadonlyArray<Pick<KnownPeer, 'id' | 'agent'>>, program: string, self: string): string[] {
  return peers.flatMap(({ id, agent }) => {
    const [name, version = ''] = agent.split('/')
    if (id === self || name !== program || semver.valid(version) === null || semver.prerelease(version) !== null) return []
    return [version]
  })
}

/** @param versions - of others */
export function compared(running: string, versions: readonly string[], minPercent: number): z.input<typeof reply> {
  const later = versions.filter(version => semver.gt(version, running))
  const sampled = versions.length + 1
  return {
    UpdateAvailable: later.length > 0 && (later.length / sampled) * 100 >= minPercent,
    RunningVersion: running,
    GreatestVersion: later.sort(semver.compare).at(-1) ?? running,
    PeersSampled: sampled,
    WithGreaterVersion: later.length
  }
}
