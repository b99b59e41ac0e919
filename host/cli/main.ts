import { hasCode, type NodeError } from '../../core/errors.ts'
import { version } from '../version.ts'
import { Interrupted } from './interrupted.ts'
import type { KnownCommands } from './line/known-commands.ts'
import { processTerminal, type Terminal } from './terminal.ts'

/** The meaning of a command line. */
type Act = () => Promise<number>

/** The command line. @returns the exit status: 0 done, 1 it failed, 2 it was not understood, 130 it was interrupted */
export async function main(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let act: Act
  const words: string[] = []
  try {
    act = await understand(argv, terminal, words)
  } catch (error) {
    await complain(error, words, terminal)
    return (error as Partial<NodeError>).wire === 'client' ? 2 : 1
  }
  try {
    const status = await act()
    await terminal.stdout.written()
    return status
  } catch (error) {
    const end = terminal.interrupted ?? error
    if (end instanceof Interrupted) return end.status
    await complain(end, words, terminal)
    return 1
  } finally {
    terminal.close()
  }
}

/**
 * Throws what is wrong with the words, before anything of what they ask for has happened.
 *
 * @param path - gets the words that name a command, as far as they are known
 */
async function understand(argv: readonly string[], terminal: Terminal, path: string[]): Promise<Act> {
  const print = (text: string) => async () => {
    terminal.stdout.write(text)
    return 0
  }
  if (argv.length === 1 && argv[0] === '--version') return print(`${version}\n`)
  const [{ KnownCommands: Opened }, { parseLine }, { globalsOf }, { programs }] = await Promise.all([
    import('./line/known-commands.ts'),
    import('./line/parse.ts'),
    import('./line/options.ts'),
    import('./programs/index.ts')
  ])
  const commands = await Opened.open({ file: configurationIn(argv), cwd: terminal.cwd, env: terminal.env }, programs)
  const line = await parseLine(argv, commands, path).catch(async error => {
    if (commands.problem !== undefined) throw commands.problem
    await tell(commands, terminal, hasCode(error, 'E_COMMAND_LINE'))
    const { elsewhere } = await import('./line/elsewhere.ts')
    throw (await elsewhere(error, argv, commands, terminal)) ?? error
  })
  const globals = globalsOf(line)
  if (globals.version && line.path.length === 0) return print(`${version}\n`)
  const isHelp = line.entry === undefined || globals.help || globals.h || line.path[0] === 'help'
  if (line.entry === undefined || !('tolerant' in line.entry) || !line.entry.tolerant) {
    if (commands.problem !== undefined) {
      if (!isHelp) throw commands.problem
      terminal.stderr.write(`Not loaded: ${commands.problem.message}\n`)
    }
    await tell(commands, terminal)
  }
  if (line.entry === undefined || globals.help || globals.h) {
    const { helpFor } = await import('./line/help.ts')
    return print(await helpFor(line, commands))
  }
  const { entry } = line
  if ('hidden' in entry) {
    const { programAct } = await import('./programs/program.ts')
    return programAct(programs.find(program => program === entry)!, line, commands, terminal)
  }
  const [{ prepare }, { run }] = await Promise.all([import('./run/plan.ts'), import('./run/run.ts')])
  const prepared = await prepare(entry, { line, globals, commands, terminal })
  return async () => {
    await run(prepared)
    return 0
  }
}

/** The file behind `--config`; which commands there are depends on it, so it is looked for before anything else is read. */
function configurationIn(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--')
  const options = end < 0 ? argv : argv.slice(0, end)
  const at = options.findIndex(word => /^(--config(=|$)|-c)/.test(word))
  const word = options[at]
  return word === '--config' || word === '-c' ? options[at + 1] : word?.replace(/^(--config=|-c=?)/, '')
}

/** Says what was not loaded: to a person, or where that may be what is amiss. */
async function tell({ withheld }: KnownCommands, { stderr }: Terminal, always = false): Promise<void> {
  if (withheld === undefined || !(always || stderr.isTTY)) return
  const { tellWithheld, TRUST_IT } = await import('./configuration/choose.ts')
  const told = await tellWithheld(withheld)
  if (told !== undefined) stderr.write(`${told} ${TRUST_IT}\n`)
}

async function complain(error: unknown, path: readonly string[], terminal: Terminal): Promise<void> {
  const { remedyFor } = await import('./remedy.ts')
  const { message, remedy } = remedyFor(error, ['holdfast', ...path, '--help'].join(' '))
  const { stderr } = terminal
  const text = message.trimEnd()
  // no line of a message, which may come from anywhere, passes for one of this program
  stderr.write(`Error: ${stderr.isTTY ? text.replaceAll('\n', '\n  ') : text}\n${remedy === undefined ? '' : `${remedy}\n`}`)
}
