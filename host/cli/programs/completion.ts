import type { ParameterSpec } from '../../../core/contract/params.ts'
import { p } from '../../../core/contract/params.ts'
import type { Shell } from '../completion/shells.ts'
import { type ProgramCall, program } from './program.ts'

const PROGRAM = 'holdfast'

export const completion = program({
  path: 'completion',
  help: 'Print what lets a shell complete commands, options and values, those of plugins included.',
  tolerant: true,
  args: { shell: p.string('The shell.').oneOf('bash', 'zsh', 'fish') },
  examples: [
    { title: 'In ~/.bashrc', args: 'completion bash' },
    { title: 'For zsh, in a folder of $fpath', args: 'completion zsh > ~/.zfunc/_holdfast' },
    { title: 'For fish', args: 'completion fish > ~/.config/fish/completions/holdfast.fish' }
  ],
  async run({ args, terminal }) {
    terminal.stdout.write((await shellCalled(args.shell)).script(PROGRAM))
    return 0
  }
})

export const completeWords = program({
  path: '__complete',
  help: 'Print what can follow on a command line, one a line, as the shell that asks takes it.',
  hidden: true,
  tolerant: true,
  args: { words: p.string('What the shell tells: the words so far, or the line.').many().optional() },
  options: {
    shell: p.string('The shell that asks.').oneOf('bash', 'zsh', 'fish'),
    split: p.bool("Words are split at '='; only the part behind it is asked for.")
  },
  async run(call) {
    const { args, options, terminal, commands } = call
    const [{ complete }, { anyShell }] = await Promise.all([import('../completion/complete.ts'), import('../completion/shells.ts')])
    const shell = options.shell === undefined ? anyShell(options.split === true) : await shellCalled(options.shell)
    const question = shell.question(args.words)
    if (question === undefined) return 0
    for (const candidate of await complete(question.words, commands, (spec, typed) => liveValues(spec, typed, call))) {
      const line = question.offer(candidate)
      if (line !== undefined) terminal.stdout.write(`${line}\n`)
    }
    return 0
  }
})

/** @throws E_SHELL */
async function shellCalled(name: string): Promise<Shell> {
  const { shells } = await import('../completion/shells.ts')
  const shell = Object.hasOwn(shells, name) ? shells[name] : undefined
  if (shell !== undefined) return shell
  const { cliErrors } = await import('../errors.ts')
  throw cliErrors.E_SHELL(name, Object.keys(shells))
}

/** How long a person who pressed the key waits, in milliseconds. */
const PATIENCE = 1000

/** Values that a running node knows and that begin so, as many as a shell offers; none without a node. */
async function liveValues(
  { completion: by, format }: ParameterSpec,
  typed: string,
  { terminal, commands, options }: ProgramCall
): Promise<readonly string[]> {
  if (by === undefined) return []
  try {
    const { remoteOf } = await import('../run/ask.ts')
    const remote = await remoteOf({ globals: options, commands, terminal })
    if (remote === undefined) return []
    const signal = AbortSignal.any([terminal.interrupts(), AbortSignal.timeout(PATIENCE)])
    const answer = await remote.node.ask({
      path: by.command,
      words: [],
      pairs: Object.entries(by.options(typed)),
      upload: undefined,
      wanted: 'items',
      octets: false,
      signal,
      onSent() {}
    })
    const [{ isCompletable }, { MOST }] = await Promise.all([import('../completion/completable.ts'), import('../completion/complete.ts')])
    const values: string[] = []
    if (answer.kind !== 'items') return []
    for await (const item of answer.items) {
      for (const value of by.values(item, typed)) {
        if (value.startsWith(typed) && (await isCompletable(value, format))) values.push(value)
        if (values.length === MOST) return values
      }
    }
    return values
  } catch {
    // nothing to offer is all a shell can be told
    return []
  }
}
