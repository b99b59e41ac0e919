import { defineErrors } from '../../core/index.ts'

/** Errors of a repo's folder. */
export const repoErrors = defineErrors({
  E_REPO_ABSENT: { message: (path: string) => `no IPFS repo found in ${path}.\nplease run: 'holdfast init'` },
  E_REPO_CONFIG_ABSENT: {
    message: (file: string) => `there is a repo, and its file ${file} is missing, which holds its configuration and the node's private key`
  },
  E_REPO_EXISTS: { message: () => 'ipfs configuration file already exists!\nReinitializing would overwrite your keys\n' },
  E_REPO_NEWER: {
    message: (mine: number, found: number) =>
      `Your programs version (${mine}) is lower than your repos (${found}).\nPlease update ipfs to a version that supports the existing repo, or run\na migration in reverse.\n\nSee https://github.com/ipfs/fs-repo-migrations/blob/master/run.md for details.`
  },
  E_REPO_OLDER: {
    message: (path: string, mine: number, found: number) =>
      `the repo in ${path} has version ${found}, this node needs ${mine}: migrate it with 'ipfs repo migrate' of Kubo 0.28 first`
  },
  E_REPO_VERSION: { message: (file: string, found: string) => `${file} should hold one number, the repo's version, but holds '${found}'` },
  E_REPO_LOCKED: {
    message: (file: string, owner: number) => `lock ${file}: someone else has the lock: process ${owner} works on this repo`
  },
  E_REPO_NOT_FOLDER: { message: (path: string) => `${path} is not a folder, so it cannot hold a repo` },
  E_REPO_PERMISSION: { message: (verb: string, path: string) => `permission denied: this user may not ${verb} ${path}` },
  E_REPO_READ_ONLY: { message: (verb: string, path: string) => `cannot ${verb} ${path}: the file system is read-only` },
  E_REPO_IO: { message: (verb: string, path: string, reason: string) => `cannot ${verb} ${path}: ${reason}` },
  E_REPO_CLOSED: { message: () => 'the repo is not open' },
  E_REPO_CORRUPT: { message: () => 'verify complete, some blocks were corrupt' },
  E_REPO_CORRUPT_NEWER: { message: (blocks: number) => `verify complete, ${blocks} blocks corrupt` },
  E_REPO_HEAL: {
    message: (summary: string, failed: number) => `${summary}, ${failed} not: they are gone until somebody who has them is found`
  },
  E_HEAL_TIMEOUT: { message: (why: string) => `invalid heal-timeout: ${why}` },
  E_HEAL_TIMEOUT_NEGATIVE: { message: () => 'heal-timeout must be >= 0' },
  E_BLOCK_FILE_LOST: { message: () => 'the store lists it, but its bytes are gone' },
  E_INIT_PROFILE: { message: (name: string) => `invalid configuration profile: ${name}` }
})

/** Says in words what the file system refused; an error that is one of ours already stays as it is. */
export function refused(error: unknown, verb: string, path: string): Error {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return repoErrors.E_REPO_PERMISSION(verb, path)
    case 'EROFS':
      return repoErrors.E_REPO_READ_ONLY(verb, path)
    case 'ENOTDIR':
    case 'EEXIST':
      return repoErrors.E_REPO_NOT_FOLDER(path)
    default:
      return code === undefined || code.startsWith('E_') ? (error as Error) : repoErrors.E_REPO_IO(verb, path, message)
  }
}
