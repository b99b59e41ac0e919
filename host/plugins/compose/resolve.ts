import { registerHooks } from 'node:module'
import { packageRoot } from '../../version.ts'

/** The contract that plugins are written against. */
const OURS = /^(?:holdfast|zod)(?:\/|$)/

let isRegistered = false

/**
 * Lets a plugin's file find `holdfast` and `zod` where it lies beside no installation of them, as with one for all users (`npm install -g`):
 * those of the running host are taken then. An installation that the file finds by itself goes first.
 */
export function lendHostPackages(): void {
  if (isRegistered) return
  isRegistered = true
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context)
      } catch (error) {
        const isMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '')
        if (!isMissing || !OURS.test(specifier)) throw error
        return next(specifier, { ...context, parentURL: new URL('package.json', packageRoot).href })
      }
    }
  })
}
