import type { NodeError } from '../../../core/errors.ts'
import type { PluginState } from '../../../core/index.ts'
import { cliErrors } from '../errors.ts'
import { remoteOf } from '../run/ask.ts'
import type { Terminal } from '../terminal.ts'
import type { KnownCommands } from './known-commands.ts'
import type { GlobalValues } from './options.ts'

/** How long a node may take to say what it has, in milliseconds. */
const PATIENCE = 1000

/**
 * The text about words that name nothing here, but a command of the node that runs: its declaration is in a plugin that only the node's
 * own configuration names. Nothing of what the node says is run.
 *
 * @returns undefined where that is not so
 */
export async function elsewhere(
  error: unknown,
  argv: readonly string[],
  commands: KnownCommands,
  terminal: Terminal
): Promise<Error | undefined> {
  if ((error as Partial<NodeError>).code !== 'E_COMMAND_LINE') return undefined
  try {
    const remote = await remoteOf({ globals: globalsIn(argv), commands, terminal })
    const states = (await remote?.node.get('/plugins', AbortSignal.timeout(PATIENCE))) as readonly PluginState[] | undefined
    const line = ` ${argv.join(' ')} `
    for (const { name, commands: declared } of states ?? []) {
      const found = declared.map(path => path.replaceAll('/', ' ')).find(words => line.includes(` ${words} `))
      if (found !== undefined && !commands.has(found.split(' '))) return cliErrors.E_DECLARED_ELSEWHERE(found, name)
    }
  } catch {
    // a node that does not tell leaves the error as it was
  }
  return undefined
}

/** Where the node is, as far as that can be read of a line that was not understood. */
function globalsIn(argv: readonly string[]): Pick<GlobalValues, 'api' | 'apiAuth' | 'apiAuthFile' | 'repo' | 'repoDir'> {
  const value = (name: string) => {
    const at = argv.findIndex(word => word === name || word.startsWith(`${name}=`))
    const word = argv[at]
    return word === undefined ? undefined : word === name ? argv[at + 1] : word.slice(name.length + 1)
  }
  return {
    api: value('--api'),
    apiAuth: value('--api-auth'),
    apiAuthFile: value('--api-auth-file'),
    repo: value('--repo'),
    repoDir: value('--repo-dir')
  }
}
