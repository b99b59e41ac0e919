import { writeSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { foreignFault } from '../../../core/files/foreign.ts'
import { API_VERSION, hasCode, plugin as made, type Plugin } from '../../../core/index.ts'
import { bounded } from '../../../core/timing.ts'
import { hostErrors } from '../../errors.ts'
import { lendHostPackages } from '../compose/resolve.ts'
import { PATIENCE_MS } from '../lifecycle.ts'
import type { FoundModule } from './find.ts'
import { importFailure } from './import-failure.ts'

/** The ways to write one. */
const DEFAULT_EXPORT = /\bexport\s+default\b|\bas\s+default\b|\bmodule\.exports\b|\bexports\.default\b/

export async function hasDefaultExport(file: string): Promise<boolean> {
  return DEFAULT_EXPORT.test(await readFile(file, 'utf8'))
}

/**
 * Imports a third party's plugin: what is written for another api, or what others than this user decide over, is never run.
 *
 * @param patience - how long its import may take, in milliseconds
 */
export async function importChecked(
  name: string,
  { from, module, range, declaredIn }: FoundModule,
  patience = PATIENCE_MS
): Promise<Plugin> {
  if (range === undefined) {
    const isFile = declaredIn === module
    if (isFile && !(await hasDefaultExport(module))) throw hostErrors.E_PLUGIN_EXPORT(name, from)
    throw hostErrors.E_PLUGIN_API_MISSING(name, from, declaredIn)
  }
  await checkApi(name, from, range)
  refuseForeign(name, [declaredIn, module])
  const { default: plugin } = await inTime(name, module, patience).catch(async error => {
    if (hasCode(error, 'E_PLUGIN_SLOW')) throw error
    const { what, remedy } = await importFailure(error, module)
    throw hostErrors.E_PLUGIN_IMPORT(name, name, remedy === undefined ? what : `${what}: ${remedy}`)
  })
  if (!isPlugin(plugin)) throw hostErrors.E_PLUGIN_EXPORT(name, from)
  await checkApi(plugin.name, from, plugin.api)
  // made by a copy of this package that may be older
  return { ...made({ name: plugin.name, api: plugin.api, about: '' }), ...plugin }
}

/** Modules whose import was given up: nobody waits for one of them a second time. */
const givenUp = new Set<string>()

/** The plugins whose modules run now. */
const importing = new Set<string>()

/** Tells whose import was under way when the process ended: a module may end it itself. */
function ended(status: number): void {
  const names = [...importing].map(name => `'${name}'`).join(', ')
  writeSync(2, `Error: the process ended with status ${status} while this was imported: plugin ${names}\n`)
  // what was asked for has not been done
  if (status === 0) process.exitCode = 1
}

/** A plugin's module, run within a time. @throws E_PLUGIN_SLOW, and what the module throws */
async function inTime(name: string, module: string, patience: number): Promise<{ readonly default?: unknown }> {
  const late = () => {
    givenUp.add(module)
    return hostErrors.E_PLUGIN_SLOW(name, 'its import', patience / 1000)
  }
  if (importing.size === 0) process.on('exit', ended)
  importing.add(name)
  try {
    return await bounded(givenUp.has(module) ? 0 : patience, undefined, late, () => imported(module))
  } finally {
    importing.delete(name)
    if (importing.size === 0) process.off('exit', ended)
  }
}

/** A plugin's module, run. */
export async function imported(module: string): Promise<{ readonly default?: unknown }> {
  lendHostPackages()
  return import(pathToFileURL(module).href)
}

/** Refuses code that others than this user decide over. Modules that it imports itself are left to Node. @throws E_PLUGIN_FOREIGN */
function refuseForeign(name: string, files: readonly string[]): void {
  for (const file of new Set(files)) {
    const fault = foreignFault(file)
    if (fault !== undefined) throw hostErrors.E_PLUGIN_FOREIGN(name, fault.message)
  }
}

async function checkApi(name: string, from: string, range: string) {
  const { default: semver } = await import('semver')
  if (!semver.satisfies(API_VERSION, range)) throw hostErrors.E_PLUGIN_API(name, from, range, API_VERSION)
}

export function isPlugin(value: unknown): value is Plugin {
  const plugin = value as Partial<Plugin> | undefined
  return (
    typeof plugin?.name === 'string' && typeof plugin.api === 'string' && Array.isArray(plugin.commands) && Array.isArray(plugin.provides)
  )
}
