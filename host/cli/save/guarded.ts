import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configurationIn, isCode, type LoadedConfiguration, placesIn } from '../../../config/host/load.ts'
import { repoPath } from '../../../config/host/repo-path.ts'
import { catalogue } from '../../../plugins/catalogue.ts'
import { findPlugin } from '../../plugins/load/find.ts'
import { isStatus } from '../../plugins/load/toggles.ts'
import { packageRoot } from '../../version.ts'
import { folderOf } from '../configuration/repo-folder.ts'
import type { Invocation } from '../line/invocation.ts'
import { TrustedFolders } from '../trust/folders.ts'
import { cacheFolder, configurationFolder, stateFolder } from '../trust/places.ts'
import { Guard } from './guard.ts'

/**
 * The places that a command that stores files must leave alone: this program; what is remembered of trusted folders; the user's own configuration; in each trusted
 * folder, and in the folder of the configuration that counts, names under which a configuration or packages are looked for, files of
 * plugins, modules beside them that are there already, and what decides which packages they get; and repos.
 */
export async function guardOf({
  commands,
  globals,
  terminal: { env }
}: Pick<Invocation, 'commands' | 'globals' | 'terminal'>): Promise<Guard> {
  const guard = new Guard()
  const { loaded } = commands
  const userConfiguration = configurationFolder({ env })
  const trusted = new TrustedFolders(stateFolder({ env }))
  await guard.keepTree(trusted.path, 'the list of trusted folders')
  await guard.keepTree(userConfiguration, 'your own configuration of holdfast')
  await keepProgram(guard, env)
  await guard.keepTree(folderOf(globals, loaded), 'a repo')
  await guard.keepTree(join(homedir(), '.holdfast'), 'a repo')
  const folders = new Set((await trusted.list()).map(({ folder }) => folder))
  if (loaded.file !== undefined) {
    folders.add(loaded.folder)
    await guard.keepFile(loaded.file, 'the configuration')
  }
  for (const folder of [...folders, userConfiguration]) {
    const configuration = folder === loaded.folder && loaded.file !== undefined ? loaded : await readable(folder)
    await keepFolder(guard, folder, configuration)
  }
  return guard
}

/** The modules of this program, the packages that they import, and what Node keeps of both when it has compiled them. */
async function keepProgram(guard: Guard, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const root = fileURLToPath(packageRoot)
  await guard.keepTree(join(root, 'dist'), 'this program')
  await guard.keepFile(join(root, 'package.json'), 'this program')
  await keepPackages(guard, root, 'the packages of this program')
  await guard.keepTree(resolve(env['NODE_COMPILE_CACHE'] || cacheFolder({ env })), 'compiled code of this program')
}

/** The configuration in a folder as far as it is known without running it; undefined where it is not. */
async function readable(folder: string): Promise<LoadedConfiguration | undefined> {
  const names = await placesIn(folder)
  const end = names.findIndex(isCode)
  try {
    const found = await configurationIn(folder, end < 0 ? names : names.slice(0, end))
    return found ?? (end < 0 ? { configuration: {}, file: undefined, folder } : undefined)
  } catch {
    return undefined
  }
}

async function keepFolder(guard: Guard, folder: string, loaded: LoadedConfiguration | undefined): Promise<void> {
  const what = `the configuration or the plugins of ${folder}`
  await guard.keepTop(folder, what)
  await keepPackages(guard, folder, what)
  if (loaded === undefined || (loaded.file !== undefined && isCode(loaded.file))) {
    await guard.keepCode(folder, what)
    await keepScope(guard, folder, what)
  }
  const { plugins = {}, repo } = loaded?.configuration ?? {}
  if (repo !== undefined)
    await guard.keepTree(repoPath({ env: {}, configured: repo, base: folder, home: homedir(), cwd: folder }), 'a repo')
  for (const key of Object.keys(plugins)) {
    if (isStatus(key) || catalogue.some(({ name }) => name === key)) continue
    if (key.startsWith('.') || isAbsolute(key)) await keepModule(guard, resolve(folder, key), what)
    // what is in node_modules is kept; a package that was linked there lies elsewhere
    else await keepLinked(guard, (await findPlugin(key, folder).catch(() => undefined))?.place, what)
  }
}

/** A plugin's file, which may not be there yet; modules that it may import; and which packages it gets. */
async function keepModule(guard: Guard, file: string, what: string): Promise<void> {
  await guard.keepFile(file, what)
  for (const folder of new Set([dirname(file), dirname(await realpath(file).catch(() => file))])) {
    await guard.keepCode(folder, what)
    await keepPackages(guard, folder, what)
    await keepScope(guard, folder, what)
  }
}

async function keepLinked(guard: Guard, place: string | undefined, what: string): Promise<void> {
  if (place === undefined) return
  const folder = await realpath(place)
  await guard.keepCode(folder, what)
  await keepPackages(guard, folder, what)
}

/** Packages are looked for in each folder upwards. */
async function keepPackages(guard: Guard, folder: string, what: string): Promise<void> {
  for (const at of upwards(folder)) await guard.keepTree(join(at, 'node_modules'), what)
}

/** The nearest package.json says how modules are read, and what `#names` in them mean: none may come nearer. */
async function keepScope(guard: Guard, folder: string, what: string): Promise<void> {
  for (const at of upwards(folder)) {
    const file = join(at, 'package.json')
    await guard.keepFile(file, what)
    if ((await lstat(file).catch(() => undefined)) !== undefined) return
  }
}

function* upwards(folder: string): Generator<string> {
  for (let at = folder; ; at = dirname(at)) {
    yield at
    if (dirname(at) === at) return
  }
}
