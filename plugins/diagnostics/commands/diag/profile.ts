import { parseDuration } from '../../../../core/go/duration.ts'
import { goQuote } from '../../../../core/go/quote.ts'
import { Activity, bytes, command, Host, optional, p, prefixed, Repo } from '../../../../core/index.ts'
import { diagnosticsErrors } from '../../errors.ts'
import { type Collector, collectors } from '../../profile/collectors.ts'
import { ProfileTurnToken } from '../../profile/turn.ts'

export const diagProfile = command.admin('diag/profile', {
  help: 'Take profiles of this node, as a zip. They may hold secrets.',
  examples: [
    { title: "See where the CPU's time goes for a second", args: 'diag profile --collectors=cpu --profile-time=1s -o cpu.zip' },
    { title: 'Look at the heap, and at what runs', args: 'diag profile --profile-time=0 -o profile.zip' }
  ],
  needs: { host: Host, activity: Activity, repo: optional(Repo), turn: ProfileTurnToken },
  options: {
    output: p.file('Where a command line writes the zip. Default: ipfs-profile-<time>.zip.').alias('o'),
    collectors: p
      .string('The profiles to collect.')
      .oneOf(...collectors.keys())
      .many()
      .default([...collectors.keys()]),
    profileTime: p.duration('How long samples are taken; 0 leaves them out.').raw().default('30s'),
    mutexProfileFraction: p.int('Without effect: there are no locks to watch.').default(4),
    blockProfileRate: p.duration('The time between two looks at the event loop, 1ms or more.').raw().default('1ms')
  },
  reply: bytes(),
  saves({ options }) {
    const to = options.output ?? `ipfs-profile-${new Date().toISOString().replaceAll(':', '_')}.zip`
    return { to, mode: 0o600, says: `Saving profiles to: ${to}` }
  },
  async *run({ host, activity, repo, turn }, { options, signal }) {
    const milliseconds = duration('failed to parse profile duration', options.profileTime)
    const resolution = Math.max(1, Math.round(duration('failed to parse block profile rate', options.blockProfileRate)))
    const scene = { host, activity, repo, milliseconds, resolution, signal }
    const unknown = options.collectors.find(name => !collectors.has(name))
    const chosen = unknown === undefined ? [...new Set(options.collectors)].map(name => collectors.get(name)) : []
    const { archive } = await import('../../profile/archive.ts')
    const release = turn.claim(milliseconds)
    try {
      // what comes is some time off, but the caller is let in
      yield new Uint8Array(0)
      yield* archive(chosen as Collector[], scene)
    } finally {
      release()
    }
    if (unknown !== undefined) throw diagnosticsErrors.E_PROFILE_COLLECTOR(unknown)
  }
})

/** The duration in milliseconds. */
function duration(failed: string, text: string): number {
  try {
    return Number(parseDuration(text)) / 1e6
  } catch (error) {
    throw prefixed(`${failed} ${goQuote(text)}: `, error)
  }
}
