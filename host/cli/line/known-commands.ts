import type { LoadedConfiguration } from '../../../config/host/load.ts'
import { didYouMean } from '../../../config/host/suggest.ts'
import { atLevel, type Command, DEFAULT_LEVEL, matchesPath, type Plugin, type Status } from '../../../core/index.ts'
import { type CatalogueEntry, catalogue } from '../../../plugins/catalogue.ts'
import type { HostConfiguration } from '../../configuration.ts'
import type { LoadedPlugin, NotLoaded } from '../../plugins/load/load.ts'
import { decideCommand, decidePlugin, isStatus } from '../../plugins/load/toggles.ts'
import { type Around, chooseConfiguration, type Withheld } from '../configuration/choose.ts'
import { cliErrors } from '../errors.ts'
import type { ProgramDeclaration } from './declaration.ts'

/** A command of a plugin, or a program of this command line, that words name. */
export type Invocable = Command | ProgramDeclaration

/** The commands of one plugin, or of this command line, for a list. */
export interface Section {
  readonly name: string
  readonly about: string
  readonly paths: readonly string[]
  /** Why it is off. */
  readonly off: string | undefined
}

/**
 * Every command there is to name, known without importing the built-in plugins: their paths stand in the catalogue, and a plugin is
 * imported when one of its commands is asked for. Plugins of third parties have no entry there, so those that the configuration names
 * are imported at once. No service of any is made.
 */
export class KnownCommands {
  readonly loaded: LoadedConfiguration
  /** The fault of the configuration, which then counts as empty. */
  readonly problem: Error | undefined
  /** The files that were not loaded, as the working directory is not trusted. */
  readonly withheld: Withheld | undefined
  /** Plugins of the configuration that could not be imported, or are off. */
  readonly absent: readonly NotLoaded[]
  readonly #thirdParties: readonly LoadedPlugin[]
  readonly #programs: readonly ProgramDeclaration[]
  readonly #known = new Set<string>()
  readonly #commands: ReadonlySet<string>

  /**
   * @param around - says which configuration counts, see `chooseConfiguration`
   * @param programs - the programs of the command line
   */
  static async open(
    { env = process.env, ...around }: Omit<Around, 'env'> & Partial<Pick<Around, 'env'>>,
    programs: readonly ProgramDeclaration[]
  ): Promise<KnownCommands> {
    try {
      const { loaded, withheld } = await chooseConfiguration({ ...around, env })
      return new KnownCommands(loaded, await thirdParties(loaded), programs, { withheld })
    } catch (error) {
      const loaded = { configuration: {}, file: around.file, folder: around.cwd }
      return new KnownCommands(loaded, { loaded: [], notLoaded: [] }, programs, { problem: error as Error })
    }
  }

  constructor(
    loaded: LoadedConfiguration,
    { loaded: parties, notLoaded }: { loaded: readonly LoadedPlugin[]; notLoaded: readonly NotLoaded[] },
    programs: readonly ProgramDeclaration[],
    { problem, withheld }: { problem?: Error; withheld?: Withheld | undefined } = {}
  ) {
    this.problem = problem
    this.withheld = withheld
    this.loaded = loaded
    this.absent = notLoaded
    this.#thirdParties = parties
    this.#programs = programs
    const paths = [
      ...catalogue.flatMap(entry => entry.paths),
      ...parties.flatMap(({ plugin }) => plugin.commands.map(command => command.path)),
      ...programs.map(({ path }) => path)
    ]
    this.#commands = new Set(paths)
    for (const path of paths) {
      const words = path.split('/')
      for (let end = 1; end <= words.length; end++) this.#known.add(words.slice(0, end).join('/'))
    }
  }

  /** How messages call the configuration. */
  get where(): string {
    return this.loaded.file ?? 'the configuration'
  }

  get configuration(): HostConfiguration {
    return this.loaded.configuration
  }

  /** Every path that can be called, sorted; hidden ones and those that are switched off left out. */
  get paths(): string[] {
    const hidden = new Set(this.#programs.filter(program => program.hidden).map(({ path }) => path))
    return [...this.#commands].filter(path => !hidden.has(path) && this.whyOff(path) === undefined).sort()
  }

  /** The setting that switches a command off, or every plugin that declares it; undefined where one of them offers it. */
  whyOff(path: string): string | undefined {
    if (this.#programs.some(program => program.path === path)) return undefined
    const { where, configuration } = this
    const decide = (plugin: Pick<Plugin, 'name' | 'status'>, status: Status) =>
      decideCommand({ path, status }, plugin, configuration, where)
    const decisions = [
      ...catalogue
        .filter(entry => entry.paths.includes(path))
        .map(entry => {
          const whole = decidePlugin(entry, configuration, where)
          return whole.on ? decide(entry, entry.statuses?.[path] ?? entry.status) : whole
        }),
      ...this.#thirdParties.flatMap(({ plugin }) =>
        plugin.commands.filter(command => command.path === path).map(({ status }) => decide(plugin, status))
      )
    ]
    return decisions.some(({ on }) => on) ? undefined : decisions[0]?.reason
  }

  /** The settings that switch off commands whose path begins with these words, each once. */
  whyOffBelow(words: readonly string[]): string[] {
    const below = [...this.#commands].filter(path => path.startsWith(`${words.join('/')}/`))
    return [...new Set(below.map(path => this.whyOff(path)).filter(reason => reason !== undefined))]
  }

  /** Whether words name a command or a group. */
  has(words: readonly string[]): boolean {
    return this.#known.has(words.join('/'))
  }

  /** The command that words name; undefined for a group. */
  async entry(words: readonly string[]): Promise<Invocable | undefined> {
    const path = words.join('/')
    if (!this.#commands.has(path)) return undefined
    const program = this.#programs.find(program => program.path === path)
    if (program !== undefined) return program
    const theirs = this.#thirdParties.find(one => declares(one.plugin, path))
    const builtIn = this.#builtIn(path)
    const from = Object.entries(this.configuration.commands ?? {}).find(
      ([pattern, rule]) => typeof rule === 'object' && matchesPath(pattern, path)
    )
    const wanted = (from?.[1] as { from: string } | undefined)?.from
    const taken = builtIn === undefined || (theirs !== undefined && wanted !== undefined && theirs.keys.includes(wanted))
    const plugin = taken ? theirs!.plugin : (await builtIn.load()).default
    const found = plugin.commands.find(command => command.path === path)
    return found === undefined ? undefined : atLevel(found, this.configuration.rpc?.level ?? DEFAULT_LEVEL)
  }

  /** The built-in that declares a path: one that is on before one that is off, and one that has the command before one that says it is gone. */
  #builtIn(path: string): CatalogueEntry | undefined {
    const all = catalogue.filter(entry => entry.paths.includes(path))
    const on = all.filter(entry => decidePlugin(entry, this.configuration, this.where).on)
    const choice = on.length > 0 ? on : all
    return choice.find(({ status }) => status !== 'removed') ?? choice[0]
  }

  /** The error for words that name nothing. */
  unknown(words: readonly string[]): Error {
    const known = [...this.#known].map(path => path.replaceAll('/', ' '))
    const hint = didYouMean(words.join(' '), known)
    const failed = this.absent.filter(({ state }) => state === 'failed').map(({ reason }) => `\n${reason}`)
    return cliErrors.E_COMMAND_LINE(words.join(' '), `${hint}${failed.join('')}`)
  }

  /** All that can be named, by who brings it; this command line's own first. */
  sections(): Section[] {
    const on = new Set(this.paths)
    const off = (entry: CatalogueEntry) => {
      const { on, reason } = decidePlugin(entry, this.configuration, this.where)
      return on || entry.paths.length === 0 ? undefined : reason
    }
    return [
      {
        name: 'holdfast',
        about: 'This program.',
        paths: this.#programs.filter(program => !program.hidden).map(({ path }) => path),
        off: undefined
      },
      ...catalogue.map(entry => ({
        name: entry.name,
        about: entry.about,
        paths: entry.paths.filter(path => on.has(path)),
        off: off(entry)
      })),
      ...this.#thirdParties.map(({ plugin }) => ({
        name: plugin.name,
        about: plugin.about,
        paths: plugin.commands.map(command => command.path).filter(path => on.has(path)),
        off: undefined
      }))
    ]
  }
}

const declares = (plugin: Plugin, path: string) => plugin.commands.some(command => command.path === path)

/** Imports the plugins that the configuration names besides the built-ins. One that fails is listed, and hides no other. */
async function thirdParties({
  configuration,
  file,
  folder
}: LoadedConfiguration): Promise<{ loaded: LoadedPlugin[]; notLoaded: NotLoaded[] }> {
  const builtIn = new Set(catalogue.map(({ name }) => name))
  const keys = Object.keys(configuration.plugins ?? {}).filter(key => !isStatus(key) && !builtIn.has(key))
  const found: { loaded: LoadedPlugin[]; notLoaded: NotLoaded[] } = { loaded: [], notLoaded: [] }
  if (keys.length === 0) return found
  const { loadPlugins } = await import('../../plugins/load/load.ts')
  for (const key of keys) {
    const plugins = { [key]: configuration.plugins![key]! }
    try {
      const { loaded, notLoaded } = await loadPlugins({
        catalogue: [],
        builtIns: [...builtIn],
        configuration: { plugins, onFailure: 'continue' },
        where: file ?? 'the configuration',
        base: folder
      })
      found.loaded.push(...loaded)
      found.notLoaded.push(...notLoaded)
    } catch (error) {
      const reason = (error as Error).message
      found.notLoaded.push({ name: key, status: 'regular', about: '', from: key, state: 'failed', reason, paths: [], services: [] })
    }
  }
  return found
}
