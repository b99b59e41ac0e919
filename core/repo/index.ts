/**
 * The folder of a repo: what lies where, who holds it, how large it is, and whose its files are.
 *
 * @packageDocumentation
 */

export { octal } from '../files/errors.ts'
export { closeToOthers, hideFromOthers } from '../files/mend.ts'
export { withRegularFile } from '../files/regular.ts'
export { readSecret } from '../files/secret.ts'
export { syncFolder, writeUnlisted, writeWhole, writeWholeThrough } from '../files/whole.ts'
export { type Claim, claim, claimsBeside, readChain, readClaim, removeClaim } from './claims.ts'
export { isSameRefusal } from './errors.ts'
export { identityIn } from './identity.ts'
export { kernelLockHolder } from './kernel-lock.ts'
export { isInitialised, REPO_VERSION, remainsOf, repoFiles } from './layout.ts'
export { type NotedLayers, namesIn, readLayouts, refuseOtherLayers, specOf } from './layouts.ts'
export { isRunning, isVisible, thisProcess } from './owner.ts'
export { folderSize, NO_LIMIT, OVER_STORAGE_MAX, repoSize, storageMax } from './size.ts'
