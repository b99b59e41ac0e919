import { type Command, DEFAULT_LEVEL } from '../../../core/index.ts'
import { Interrupted } from '../interrupted.ts'
import { Printer } from '../print/printer.ts'
import { show, showText } from '../print/show.ts'
import { Watch } from '../print/watch.ts'
import { ask } from './ask.ts'
import { callOf } from './call-of.ts'
import { carriesCalls } from './carries-calls.ts'
import type { Plan } from './plan.ts'

/** Runs a command where its node is, and prints or stores what it answers. */
export async function run(plan: Plan): Promise<void> {
  const { command, terminal, watched } = plan
  const call = once(() => callOf(plan))
  const saving = command.saves?.(call())
  const watch = watched ? new Watch(plan) : undefined
  const printer = new Printer(terminal.stdout, () => watch?.hide())
  try {
    const { answer, close } = await ask(plan, watch?.asks(call()) ?? [], bytes => watch?.sent(bytes))
    try {
      if (answer.kind === 'items') await show(command, answer.items, { call, printer, terminal, watch, said: saidIn(plan) })
      else if (saving === undefined || saving.to === '-') {
        if (terminal.stdout.isTTY && isText(command)) await showText(answer.bytes, printer)
        else
          for await (const bytes of answer.bytes) {
            await printer.octets(bytes)
            printer.check()
            watch?.received(bytes.length, answer.length)
          }
      } else {
        if (saving.says !== undefined) await printer.line(saving.says.replace(/\n$/, ''))
        const [{ save }, { guardOf }] = await Promise.all([import('../save/index.ts'), import('../save/guarded.ts')])
        const guard = plan.globals.allowConfig ? undefined : await guardOf(plan)
        // the archives of 0.28 give every folder 0777, and its command line leaves modes and times out
        const keepsMetadata = (plan.commands.loaded.configuration.rpc?.level ?? DEFAULT_LEVEL) !== '0.28'
        const onBytes = (bytes: number) => watch?.received(bytes, answer.length)
        await save(answer.bytes, saving, { cwd: terminal.cwd, onBytes, guard, keepsMetadata })
      }
    } finally {
      await printer.flush()
      await close()
    }
  } catch (error) {
    // what serves until it is told to end has done its work then
    if (!carriesCalls(command) || !(terminal.interrupted instanceof Interrupted)) throw error
  } finally {
    watch?.end()
  }
}

/** Whether the octets that a node answers are text for people, and no content. */
function isText({ reply }: Command): boolean {
  return reply.kind !== 'bytes' || reply.text
}

function saidIn({ line: { words, pairs } }: Plan): string[] {
  return [...words, ...pairs.map(([, value]) => value)]
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
