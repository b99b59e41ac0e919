import { seeded } from '../helpers/random.ts'
import { Generator } from './generate.ts'
import { differences } from './known.ts'
import { type Answer, ask, type Request } from './request.ts'

/** A node with an empty repo. */
export interface Node {
  /** Of its RPC: `http://127.0.0.1:PORT/api/v0`. */
  readonly url: string
  stop(): Promise<unknown>
}

/** Starts the node that is looked at, and the one it is held against. */
export type Pair = readonly [() => Promise<Node>, () => Promise<Node>]

/** A request that the two answer differently behind those before it. */
export interface Finding {
  readonly requests: readonly Request[]
  readonly answers: readonly [Answer, Answer]
  /** `status`, `headers`, `body`. */
  readonly differs: readonly string[]
}

/** Asks both nodes the same random calls. @returns the first that they answer differently, behind as few as bring it about */
export async function differ(pair: Pair, { seed, count }: { seed: number; count: number }): Promise<Finding | undefined> {
  const generator = new Generator(seeded(seed))
  const found = await compare(pair, generated(generator, count), answer => generator.learn(answer))
  return found && shrunk(pair, found)
}

function* generated(generator: Generator, count: number): Iterable<Request> {
  for (let i = 0; i < count; i++) yield generator.next()
}

/** The same requests once more, say those of a {@link Finding}. */
export async function compare(
  pair: Pair,
  requests: Iterable<Request>,
  learn: (answer: Answer) => void = () => {}
): Promise<Finding | undefined> {
  const started = await Promise.allSettled(pair.map(start => start()))
  const nodes = started.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = started.find(one => one.status === 'rejected')
  if (failed !== undefined) {
    await Promise.all(nodes.map(node => node.stop()))
    throw failed.reason
  }
  const asked: Request[] = []
  try {
    for (const request of requests) {
      asked.push(request)
      const answers = (await Promise.all(nodes.map(({ url }) => ask(url, request)))) as [Answer, Answer]
      const differs = differences(request, ...answers)
      if (differs.length > 0) return { requests: asked, answers, differs }
      learn(answers[1])
    }
    return undefined
  } finally {
    await Promise.all(nodes.map(node => node.stop()))
  }
}

/** Leaves out whatever the difference does without, in ever smaller pieces. */
async function shrunk(pair: Pair, found: Finding): Promise<Finding> {
  let least = found
  for (let size = Math.ceil(least.requests.length / 2); ; size = Math.ceil(size / 2)) {
    for (let from = 0; from < least.requests.length - 1; ) {
      const fewer = least.requests.filter((_, i) => i < from || i >= Math.min(from + size, least.requests.length - 1))
      const again = fewer.length < least.requests.length ? await compare(pair, fewer) : undefined
      if (again === undefined) from += size
      else least = again
    }
    if (size === 1) return least
  }
}
