import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { foreignFault } from '../../../core/files/foreign.ts'
import { cacheFolder } from './places.ts'

/**
 * The folder for code that was compiled once: in the user's own, as it is run as it lies there. Node's default is the same for all users of
 * a machine, and whoever makes that first can put into it what others then run.
 *
 * @returns undefined where there is none that nobody else writes in, or where the environment names one
 */
export function compiledFolder(): string | undefined {
  if (process.env['NODE_COMPILE_CACHE']) return undefined
  const folder = join(cacheFolder({ env: process.env }), 'compiled')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return foreignFault(folder) === undefined ? folder : undefined
  } catch {
    // it only saves time
    return undefined
  }
}
