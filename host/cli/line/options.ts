import { OptionTable } from '../../../core/binding/options.ts'
import { globalOptions, p } from '../../../core/contract/params.ts'
import { cliErrors } from '../errors.ts'

/** Options with their values. */
export type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** Options of every command line: those that all commands take, and where the node and its configuration are. */
export const commandLineOptions = {
  ...globalOptions,
  repo: p.file('The repo (else HOLDFAST_PATH, IPFS_PATH, the configuration, ~/.holdfast).'),
  repoDir: p.file('Same as --repo.'),
  config: p.file('The host configuration (else HOLDFAST_CONFIG, holdfast.config.* in a trusted folder, your own).').alias('c'),
  api: p.multiaddr("Address of a node's RPC (else HOLDFAST_API, the file api in the repo)."),
  apiAuth: p.string('Authorization for the RPC: bearer:TOKEN or basic:USER:PASSWORD (else HOLDFAST_API_AUTH; others see a command line).'),
  apiAuthFile: p.file('A file with that, for this user alone (else HOLDFAST_API_AUTH_FILE).'),
  gateway: p.string('Read from this trustless gateway, without a node; what it sends is verified. Several are asked in turn.').many(),
  allowConfig: p.bool('Store files too that holdfast would take its configuration or plugins from.'),
  encoding: p.string('How the answer is written.').alias('enc').default('text').oneOf('text', 'json', 'xml'),
  help: p.bool('Show the help of the command; -h does too.'),
  version: p.bool('Show the version of this program.')
}

/** Options of the command line alone, which the node is not sent. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'repo',
  'repo-dir',
  'config',
  'config-file',
  'api',
  'api-auth',
  'api-auth-file',
  'gateway',
  'allow-config',
  'help',
  'h',
  'encoding',
  'stream-channels',
  'debug'
])

/** Whether an option, by its first name, is sent to the node. */
export function isSent(name: string): boolean {
  return !NOT_SENT.has(name)
}

/** The values of a line that hold for every command, defaults left out. */
export function globalsOf({ globals }: { readonly globals: Pairs }): GlobalValues {
  // the error for options that are said twice shows their values
  if (globals.filter(([name]) => name === 'api-auth').length > 1) throw cliErrors.E_SECRET_TWICE()
  const table = new OptionTable(commandLineOptions)
  const given = table.gather(globals)
  const values = table.values(given)
  return Object.fromEntries([...given.keys()].map(({ key }) => [key, values[key]]))
}

/** Every option of a command line by declared name. */
export interface GlobalValues {
  readonly repo?: string
  readonly repoDir?: string
  readonly config?: string
  readonly api?: string
  readonly apiAuth?: string
  readonly apiAuthFile?: string
  readonly gateway?: readonly string[]
  readonly allowConfig?: boolean
  readonly help?: boolean
  readonly h?: boolean
  readonly timeout?: string
  readonly version?: boolean
  readonly encoding?: string
  readonly debug?: boolean
}
