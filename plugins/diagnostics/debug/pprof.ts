import type { ServerResponse } from 'node:http'
import { Activity, Host, hasCode, Log, messageOf, optional, Repo, route } from '../../../core/index.ts'
import { collectors } from '../profile/collectors.ts'
import { stacks } from '../profile/stacks.ts'
import { type ProfileTurn, ProfileTurnToken } from '../profile/turn.ts'
import { answer, answerText, flow, refuse } from './respond.ts'

interface Profile {
  /** The collector of `diag/profile` that takes it. */
  readonly collector: string
  readonly about: string
  /** How long it takes unless `seconds` says otherwise; undefined for one that takes no time. */
  readonly seconds?: number
}

/** Profiles by the names of Go's net/http/pprof. */
const profiles: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  ['allocs', { collector: 'allocs', seconds: 30, about: 'Who asks for memory, sampled: a .heapprofile for Chrome DevTools.' }],
  ['block', { collector: 'block', seconds: 1, about: 'How long the event loop kept others waiting: JSON.' }],
  ['goroutine', { collector: 'goroutines-stack', about: 'Running calls, handles and the stack: text.' }],
  [
    'heap',
    {
      collector: 'heap',
      about: 'Everything on the heap, secrets of others included: a .heapsnapshot for Chrome DevTools. Everything stands still meanwhile.'
    }
  ],
  ['mutex', { collector: 'mutex', seconds: 1, about: 'How much of the time the event loop was busy: JSON.' }],
  ['profile', { collector: 'cpu', seconds: 30, about: 'Where the CPU’s time goes: a .cpuprofile for Chrome DevTools.' }],
  ['trace', { collector: 'trace', seconds: 1, about: 'Calls and collections of garbage: trace events for Perfetto.' }]
])

const BASE = '/debug/pprof/'

export const pprofRoute = route({
  listener: 'rpc',
  method: '*',
  path: `${BASE}*`,
  help: 'Profiles of this node, one by one.',
  access: 'admin',
  needs: { host: Host, activity: Activity, repo: optional(Repo), turn: ProfileTurnToken, log: Log },
  async handle({ host, activity, repo, turn, log }, request, response, { params, query, signal }) {
    const name = params['*']
    if (name === '') return answer(response, 'text/html; charset=utf-8', index(), { 'X-Content-Type-Options': 'nosniff' })
    if (name === 'cmdline') return answerText(response, process.argv.join('\0'))
    const profile = profiles.get(name)
    if (profile === undefined) return refuse(response, 404, 'Unknown profile')
    if (request.method === 'HEAD') return answer(response, 'application/octet-stream', '')
    const seconds = profile.seconds === undefined ? 0 : Number(query.get('seconds') ?? profile.seconds)
    if (!Number.isFinite(seconds) || seconds < 0) return refuse(response, 400, "parameter 'seconds' must be a number, 0 or more")
    const { file, collect } = collectors.get(profile.collector)!
    const milliseconds = seconds * 1000
    const scene = { host, activity, repo, milliseconds, resolution: 1, signal }
    await inTurn(turn, milliseconds, response, () => flow(response, attachment(file), collect(scene), { signal, log }))
  }
})

async function inTurn(turn: ProfileTurn, milliseconds: number, response: ServerResponse, work: () => Promise<void>): Promise<void> {
  let release: () => void
  try {
    release = turn.claim(milliseconds)
  } catch (error) {
    return refuse(response, hasCode(error, 'E_PROFILE_BUSY') ? 503 : 400, messageOf(error))
  }
  try {
    await work()
  } finally {
    release()
  }
}

const attachment = (file: string) => ({
  'Content-Type': 'application/octet-stream',
  'Content-Disposition': `attachment; filename="${file}"`,
  'X-Content-Type-Options': 'nosniff'
})

function index(): string {
  const all = [...profiles].map(([name, { about, seconds }]) => {
    const query = seconds === undefined ? '' : `?seconds=${seconds}`
    return `<li><a href="${name}${query}">${name}${query}</a>: ${about}</li>`
  })
  const textPages =
    '<li><a href="cmdline">cmdline</a>: The command line of this process.</li>\n<li><a href="../stack">stack</a>: As goroutine, to read here.</li>'
  return `<!doctype html>\n<html>\n<head><title>${BASE}</title></head>\n<body>\n<h1>${BASE}</h1>\n<ul>\n${all.join('\n')}\n${textPages}\n</ul>\n</body>\n</html>\n`
}

export const stackRoute = route({
  listener: 'rpc',
  method: '*',
  path: '/debug/stack',
  help: 'Running calls, handles and the stack of this node.',
  access: 'admin',
  control: true,
  needs: { activity: Activity },
  handle: ({ activity }, _, response) => answerText(response, stacks(activity))
})
