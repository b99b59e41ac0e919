import { accessSync, constants } from 'node:fs'

/** Why nothing can be mounted here. @returns undefined where it can */
export function missingFuse(): string | undefined {
  if (process.platform !== 'linux' || process.getuid!() !== 0) return 'only root of Linux mounts'
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK)
    return undefined
  } catch {
    return 'this machine has no /dev/fuse'
  }
}
