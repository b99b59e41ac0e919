import type { Call } from '../../../core/index.ts'
import type { Plan } from './plan.ts'

/** The call as a command's own text functions see it. */
export function callOf({ command, binding, line, words, terminal }: Plan): Call {
  const given = binding.options.gather(line.sent)
  const options = binding.options.formats(given, binding.options.values(given))
  const args = binding.args.values(words)
  const signal = terminal.interrupts()
  return { command, args, options, body: undefined, signal, deadline: undefined, caller: { transport: 'process' } } as unknown as Call
}
