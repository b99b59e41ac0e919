import assert from 'node:assert/strict'
import type { TestFn } from 'ava'
import { goJsonString } from '../../../core/go/json.ts'
import type { Answer, Request } from './http.ts'
import { startTarget, type Target } from './node.ts'

/** What must come back. What is left out may be anything. */
export interface Expected {
  readonly status: number
  /** The whole body, or what is to be found in it. */
  readonly text?: string | RegExp
  /** Bytes of the body, exactly. */
  readonly bytes?: number
  /** Lines of the body. */
  readonly lines?: number
  /** What the trailer says went wrong; by default nothing. */
  readonly error?: string | RegExp
}

export interface Step extends Request {
  readonly expect: Expected
}

/** One attack: what is sent, what must come back, and what it may cost the node. */
export interface Attack {
  readonly name: string
  /** Makes what is sent; whatever takes the test long is done here, before the others' requests start. */
  readonly make?: (target: Target) => Promise<readonly Step[]> | readonly Step[]
  /** What is done besides, where requests alone cannot say it. */
  readonly act?: (target: Target) => Promise<void>
  /** Most memory that the node may need on top of what it has, in MiB. Default 64. */
  readonly memory?: number
  /** Longest that the node may compute without looking at anything else, in milliseconds of processor time. Default 2000. */
  readonly turn?: number
  /** Longest that all may take, in seconds. Default 180: a machine may have much else to do. */
  readonly patience?: number
}

/** The body of an error. */
export function failed(message: string, code: 0 | 1 = 0): string {
  return `${goJsonString(message).replace(/^/, '{"Message":')},"Code":${code},"Type":"error"}\n`
}

const MIB = 1 << 20
/** Files of the folder that a node has worked on before the first attack. */
const FILES = 1000
/** No other caller waits longer, in milliseconds, even where the machine has other work too. */
const GRACE = 10_000

/**
 * Makes a test of each attack, all on one node after the other; it must serve others all the time, and be well afterwards. The node has been
 * in use before, so that what it needs for any work at all, code above all, is not counted as an attack's.
 */
export function attacks(test: TestFn, list: readonly Attack[], configuration?: Record<string, unknown>): void {
  let target: Target
  test.before(async () => {
    target = await startTarget(configuration)
    await use(target)
  })
  test.after.always(() => target?.stop())
  for (const attack of list) {
    test.serial(attack.name, async t => {
      t.timeout((attack.patience ?? 180) * 1000)
      t.log(await perform(target, attack))
      t.pass()
    })
  }
}

/** Has a node do what any node does: takes a folder, and hands it out in each way. */
async function use(target: Target): Promise<void> {
  const parts = Array.from({ length: FILES }, (_, i) => `${i}`)
  const added = await target.ask({ path: 'add?wrap-with-directory=true&quieter=true', parts })
  const cid = /"Hash":"(\w+)"/.exec(added.text)?.[1]
  assert.ok(cid, `a folder was not added: ${added.text}`)
  for (const path of ['ls?arg=', 'ls?stream=true&arg=', 'get?arg=', 'refs?recursive=true&arg=', 'dag/get?arg=', 'dag/export?arg='])
    assert.equal((await target.ask({ path: path + cid })).status, 200)
}

/** @returns what it cost the node, for a person */
export async function perform(target: Target, { make, act, memory = 64, turn = 2000 }: Attack): Promise<string> {
  const steps = (await make?.(target)) ?? []
  const before = await target.vitals()
  const others = new Others(target)
  try {
    for (const { expect, ...request } of steps) compare(await target.ask(request), expect, request)
    await act?.(target)
  } finally {
    await others.stop()
  }
  const after = await idle(target)
  const most = Math.max(before.most, before.memory + memory * MIB)
  assert.ok(after.most <= most, `the node needed ${mib(after.most - before.memory)} MiB more memory, of ${memory} it may need`)
  assert.ok(after.turn <= turn, `the node looked at nothing else for ${Math.round(after.turn)} ms, of ${turn} it may`)
  return `${mib(Math.max(0, after.most - before.most))} MiB, ${Math.round(after.turn)} ms at a time`
}

/** How the node does once nothing runs on it any more. */
export async function idle(target: Target): Promise<{ most: number; turn: number }> {
  let turn = 0
  for (const until = Date.now() + GRACE; ; ) {
    const vitals = await target.vitals()
    turn = Math.max(turn, vitals.turn)
    if (vitals.running === 0) return { most: vitals.most, turn }
    assert.ok(Date.now() < until, `${vitals.running} calls still run after all their callers have left`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

function compare(answer: Answer, expected: Expected, { path }: Request): void {
  const { text, error } = expected
  const isTold = error instanceof RegExp && answer.error !== undefined && error.test(answer.error)
  const shown: Record<string, unknown> = { status: answer.status, error: isTold ? error : answer.error }
  if (text !== undefined) shown['text'] = text instanceof RegExp && text.test(answer.text) ? text : answer.text
  if (expected.bytes !== undefined) shown['bytes'] = answer.bytes
  if (expected.lines !== undefined) shown['lines'] = answer.text.split('\n').length - 1
  assert.deepEqual(shown, { error: undefined, ...expected }, `${path.slice(0, 200)}: ${answer.text.slice(0, 300)}`)
}

function mib(bytes: number): number {
  return Math.round(bytes / MIB)
}

/** Another caller, who asks for the version all the time. */
class Others {
  readonly #done: Promise<void>
  #over = false

  constructor(target: Target) {
    this.#done = this.#ask(target)
    this.#done.catch(() => {})
  }

  async #ask(target: Target): Promise<void> {
    while (!this.#over) {
      const answer = await Promise.race([target.ask({ path: 'version' }), late()])
      assert.equal(answer.status, 200, `another caller was answered ${answer.status}: ${answer.text}`)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  async stop(): Promise<void> {
    this.#over = true
    await this.#done
  }
}

async function late(): Promise<never> {
  await new Promise(resolve => setTimeout(resolve, GRACE).unref())
  throw new Error(`another caller waited for more than ${GRACE} ms`)
}
