/**
 * A line of JSON about every call: who, what, how long, and what became of it. Streams are counted as they pass, never collected.
 *
 * ```yaml
 * plugins:
 *   audit-log: { file: /var/log/holdfast/audit.log, maxBytes: 10000000, keep: 5 }
 * ```
 *
 * @packageDocumentation
 */
import { resolve } from 'node:path'
import { type Call, hook, Log, Metrics, messageOf, optional, plugin, Repo, type Result, service, settings, token, whenOver } from 'holdfast'
import { z } from 'zod'
import { RotatingFile } from './file.ts'

const schema = z.strictObject({
  file: z.string().min(1).default('audit.log').describe("The file, from the repo's folder."),
  maxBytes: z.int().min(1024).default(10_000_000).describe('Bytes after which a new file begins.'),
  keep: z.int().min(0).max(1000).default(5).describe('Old files that are kept.')
})

/** What is written of an argument at most, in characters, and how many of them. */
const LONGEST = 256
const MOST = 32

interface Audit {
  write(line: object): void
}
const Audit = token<Audit>('audit-log')

/** What became of a call, as it is known so far. */
interface Outcome {
  result: 'ok' | 'error' | 'left'
  error?: string
  items?: number
  bytes?: number
}

const audit = service(Audit, {
  needs: { settings: settings<typeof schema>(), log: Log, metrics: Metrics, repo: optional(Repo) },
  make({ settings, log, metrics, repo }) {
    const file = new RotatingFile(resolve(repo?.path ?? '.', settings.file), settings)
    const lost = metrics.counter({ name: 'lost_lines_total', help: 'Lines that could not be written.' })
    return {
      start: () => file.open(),
      stop: () => file.close(),
      write(line: object) {
        file.append(JSON.stringify(line)).catch(error => {
          lost.inc()
          log.error({ err: error }, `a line about a call is lost: ${messageOf(error)}`)
        })
      }
    }
  }
})

const around = hook({
  needs: { audit: Audit },
  async run({ audit }, call, next) {
    const began = performance.now()
    const time = new Date().toISOString()
    const tell = (outcome: Outcome) => audit.write({ time, ...about(call), ms: Math.round(performance.now() - began), ...outcome })
    try {
      const outcome: Outcome = { result: 'ok' }
      return whenOver(call, counted(await next(), outcome), () => tell(outcome))
    } catch (error) {
      tell({ result: call.signal.aborted ? 'left' : 'error', error: messageOf(error) })
      throw error
    }
  }
})

function about({ command, caller, args }: Call): object {
  const given = Object.values(args)
    .flat()
    .filter(value => value !== undefined)
  const who = caller.grant?.name ?? caller.address ?? caller.transport
  return { who, agent: caller.userAgent, command: command.path, access: command.access, args: given.slice(0, MOST).map(shortened) }
}

function shortened(value: unknown): string {
  const text = String(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** The same answer; what flows is counted in `outcome` as it passes. */
function counted(result: Result, outcome: Outcome): Result {
  if (result.kind === 'stream') {
    outcome.items = 0
    return { ...result, items: passing(result.items, outcome, () => outcome.items!++) }
  }
  if (result.kind === 'bytes') {
    outcome.bytes = 0
    return { ...result, bytes: passing(result.bytes, outcome, chunk => (outcome.bytes! += chunk.length)) }
  }
  return result
}

async function* passing<T>(from: AsyncIterable<T> | Iterable<T>, outcome: Outcome, count: (item: T) => void): AsyncIterable<T> {
  outcome.result = 'left'
  try {
    for await (const item of from) {
      count(item)
      yield item
    }
    outcome.result = 'ok'
  } catch (error) {
    outcome.result = 'error'
    outcome.error = messageOf(error)
    throw error
  }
}

export default plugin({
  name: 'audit-log',
  api: '^1',
  about: 'Writes a line about every call to a rotating file.',
  settings: schema,
  internal: [audit],
  around: [around]
})
