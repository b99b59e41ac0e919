import { Command, CommanderError } from 'commander'
import { messageOf } from '../../core/index.ts'
import { version } from '../version.ts'

/** The command line. @returns the exit status: 0 done, 1 it failed, 2 it was not understood */
export async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('holdfast')
    .description('An IPFS node whose every command is a plugin.')
    .version(version, '--version')
    .option('--repo <folder>', 'the repo (else HOLDFAST_PATH, IPFS_PATH, the configuration, ~/.holdfast)')
    .option('--repo-dir <folder>', 'same as --repo')
    .option('--config <file>', 'the host configuration (else holdfast.config.* is looked for)')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')) })

  program
    .command('daemon')
    .description('run a node')
    .option('--init', 'make the repo where there is none')
    .option('--init-config <file>', 'with --init: a node configuration to start from')
    .option('--init-profile <profiles>', 'with --init: configuration profiles, joined by commas')
    .option('--offline', 'talk to no peers')
    .option('--api <multiaddr>', 'the address to serve the RPC on (else Addresses.API)')
    .option('--unrestricted-api', 'serve all of /ipfs and /ipns on the RPC port too')
    .option('--enable-gc', 'collect garbage from time to time')
    .option('--enable-pubsub-experiment', 'switch pubsub on')
    .option('--enable-namesys-pubsub', 'publish and resolve names over pubsub')
    .option('--enable-mplex-experiment', 'no effect: mplex is gone')
    .option('--routing <type>', 'how to find content and peers')
    .option('--mount', 'mount /ipfs and /ipns')
    .option('--mount-ipfs <folder>', 'where to mount /ipfs')
    .option('--mount-ipns <folder>', 'where to mount /ipns')
    .option('--migrate [yes]', 'bring an older repo up to date')
    .option('--disable-transport-encryption', 'talk to peers in the clear')
    .option('--manage-fdlimit [yes]', 'raise the limit of open files')
    .option('--agent-version-suffix <text>', 'added to the agent version that peers see')
    .option('--log-level <level>', 'trace, debug, info, warn, error, fatal or silent (else GOLOG_LOG_LEVEL, else error)')
    .action(async (_, command) => {
      const { daemon } = await import('./daemon.ts')
      status = await daemon(command.optsWithGlobals())
    })

  program
    .command('init')
    .argument('[default-config]', 'a node configuration (JSON) to start from')
    .description('make a repo')
    .option('-a, --algorithm <name>', 'ed25519 or rsa', 'ed25519')
    .option('-b, --bits <number>', 'bits of an rsa key')
    .option('-e, --empty-repo [yes]', 'add no help files', 'true')
    .option('-p, --profile <profiles>', 'configuration profiles, joined by commas')
    .action(async (config, _, command) => {
      const { init } = await import('./init.ts')
      status = await init({ ...command.optsWithGlobals(), defaultConfig: config })
    })

  program
    .command('plugins')
    .description('show the plugins of the running node, or of the one that would run')
    .option('--json', 'as JSON')
    .action(async (_, command) => {
      const { plugins } = await import('./plugins.ts')
      status = await plugins(command.optsWithGlobals())
    })

  let status = 0
  try {
    await program.parseAsync(argv as string[], { from: 'user' })
    return status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    process.stderr.write(`Error: ${messageOf(error)}\n`)
    return 1
  }
}
