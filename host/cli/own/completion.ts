import type { ParameterSpec } from '../../../core/params.ts'
import { p } from '../../../core/params.ts'
import { type ProgramCall, program } from '../program.ts'

const PROGRAM = 'holdfast'

export const completion = program({
  path: 'completion',
  help: 'Print what lets a shell complete commands, options and values, those of plugins included.',
  args: { shell: p.string('The shell.').oneOf('bash', 'zsh', 'fish') },
  examples: [
    { title: 'In ~/.bashrc', args: 'completion bash' },
    { title: 'For zsh, in a folder of $fpath', args: 'completion zsh > ~/.zfunc/_holdfast' },
    { title: 'For fish', args: 'completion fish > ~/.config/fish/completions/holdfast.fish' }
  ],
  async run({ args, terminal }) {
    const { shells } = await import('../shells.ts')
    const script = shells[args.shell]
    if (script === undefined) {
      const { cliErrors } = await import('../errors.ts')
      throw cliErrors.E_SHELL(args.shell, Object.keys(shells))
    }
    terminal.stdout.write(script(PROGRAM))
    return 0
  }
})

export const completeWords = program({
  path: '__complete',
  help: 'Print what can follow on a command line, one a line, with what it is behind a tab.',
  hidden: true,
  tolerant: true,
  args: { words: p.string('The words so far.').many().optional() },
  options: { split: p.bool("Words are split at '='; only the part behind it is asked for.") },
  async run(call) {
    const { args, options, terminal, directory } = call
    const { complete } = await import('../complete.ts')
    const words = options.split ? joined(args.words) : args.words
    const candidates = await complete(words, directory, spec => liveValues(spec, call))
    const cut = options.split && words.at(-1) !== args.words.at(-1) ? words.at(-1)!.indexOf('=') + 1 : 0
    for (const { value, about } of candidates) terminal.stdout.write(`${value.slice(cut)}\t${about}\n`)
    return 0
  }
})

/** `--name`, `=`, `value` as one word again. */
function joined(words: readonly string[]): string[] {
  const whole: string[] = []
  for (const [i, word] of words.entries()) {
    if (whole.length > 0 && (word === '=' || words[i - 1] === '=') && whole.at(-1)!.startsWith('-')) whole.push(whole.pop()! + word)
    else whole.push(word)
  }
  return whole
}

/** How long a person who pressed the key waits, in milliseconds. */
const PATIENCE = 1000

/** Values that a running node knows; none without one. */
async function liveValues({ completion: by }: ParameterSpec, { terminal, directory, options }: ProgramCall): Promise<readonly string[]> {
  if (by === undefined) return []
  try {
    const { remoteOf } = await import('../ask.ts')
    const remote = await remoteOf({ globals: options, directory, terminal })
    if (remote === undefined) return []
    const signal = AbortSignal.any([terminal.interrupts(), AbortSignal.timeout(PATIENCE)])
    const answer = await remote.node.ask({
      path: by.command,
      words: [],
      pairs: Object.entries(by.options),
      upload: undefined,
      wanted: 'items',
      octets: false,
      signal,
      onSent() {}
    })
    const values: string[] = []
    if (answer.kind === 'items') for await (const item of answer.items) values.push(...by.values(item))
    return values
  } catch {
    // nothing to offer is all a shell can be told
    return []
  }
}
