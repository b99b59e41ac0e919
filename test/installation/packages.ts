/** What an installation runs besides unpacking, as the lockfile and the installed packages tell. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A package of package-lock.json (version 3). */
export interface Locked {
  readonly name?: string
  readonly version?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly hasInstallScript?: boolean
}

/** The packages of a lockfile by the folder they are installed in; the root is left out. */
export type Lock = Readonly<Record<string, Locked>>

/** The name of what is installed there, whatever the folder is called. */
export function nameOf(folder: string, { name }: Locked): string {
  return name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Packages whose installation runs something, by name. */
export function scripted(lock: Lock): string[] {
  const running = Object.entries(lock).filter(([, { hasInstallScript }]) => hasInstallScript === true)
  return [...new Set(running.map(([folder, one]) => nameOf(folder, one)))].sort()
}

/** Packages that come along with this one where it is installed as a dependency. */
export function ofUsers(lock: Lock): Lock {
  return Object.fromEntries(Object.entries(lock).filter(([, { dev, devOptional }]) => !dev && !devOptional))
}

/** Packages that tell somebody about those who install or run them. */
const TELLING =
  /^@scarf\/|^@sentry\/|^@posthog\/|^posthog-|^@segment\/analytics|^analytics-node$|^@amplitude\/|^amplitude|^mixpanel|^universal-analytics$|^insight$|^applicationinsights|^@datadog\/|^newrelic$|^opencollective(-postinstall)?$|^rudder-sdk|^countly-sdk|^matomo-tracker$|(?<!open)telemetry|^@opentelemetry\/(?!api$)|^update-notifier$/

/** Packages known to report, by name. */
export function telling(lock: Lock): string[] {
  return Object.entries(lock)
    .map(([folder, one]) => nameOf(folder, one))
    .filter(name => TELLING.test(name))
}

const STAGES = ['preinstall', 'install', 'postinstall'] as const

/** Whether the installed package runs something when it is installed, whatever the lockfile says; undefined where it is not installed. */
export async function runs(root: string, folder: string): Promise<boolean | undefined> {
  const text = await readFile(join(root, folder, 'package.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { scripts = {}, gypfile } = JSON.parse(text) as { scripts?: Record<string, string>; gypfile?: boolean }
  if (STAGES.some(stage => scripts[stage] !== undefined)) return true
  // npm compiles where there is such a file and nothing else is said
  const compiles = await stat(join(root, folder, 'binding.gyp')).catch(() => undefined)
  return compiles !== undefined && gypfile !== false
}
