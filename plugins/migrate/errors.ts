import { defineErrors } from '../../core/index.ts'

/** Damaged files that a message names; of more it says how many there are. */
const NAMED = 5

/** Errors of a repo of Kubo's, and of the way there. */
export const migrateErrors = defineErrors({
  E_MIGRATE_WHICH: { wire: 'client', message: () => 'say either which repo of Kubo to take over, or --to-kubo FOLDER' },
  E_MIGRATE_NO_REPO: { message: (path: string) => `there is no repo in ${path} to hand to Kubo` },
  E_MIGRATE_OFF: { message: (service: string) => `the service '${service}' is off: what Kubo keeps of it would be left behind` },
  E_MIGRATE_OTHER: {
    message: (path: string, mine: string, theirs: string) =>
      `the repo in ${path} is that of the peer ${mine}, and Kubo's is that of ${theirs}: take it over into a repo of its own: --repo FOLDER`
  },
  E_MIGRATE_DAMAGED: {
    message: (files: readonly string[]) =>
      `${files.length} ${files.length === 1 ? 'block is' : 'blocks are'} damaged, and nothing that refers to blocks was taken over: ${files.slice(0, NAMED).join('; ')}${files.length > NAMED ? '; and more' : ''}. Mend them with Kubo ('ipfs repo verify'), or leave them behind: --skip-damaged`
  },
  E_MIGRATE_LEFT: { message: (count: number) => `${count} ${count === 1 ? 'thing was' : 'things were'} left behind: see above` },
  E_MIGRATE_CHANGED: { message: (path: string) => `${path} was changed while it was read: stop Kubo, and begin again` },
  E_MIGRATE_TARGET: { message: (path: string, why: string) => `${path} cannot become a repo of Kubo: ${why}` },
  E_KUBO_ABSENT: { message: (path: string) => `there is no repo of Kubo in ${path}` },
  E_KUBO_FILE: { message: (file: string, why: string) => `${file} cannot be taken over: ${why}` },
  E_KUBO_VERSION: {
    message: (path: string, found: string, least: number, most: number) =>
      `the repo in ${path} has version '${found}', and ${least} to ${most} can be read: bring an older one up to date with 'ipfs repo migrate' of Kubo`
  },
  E_KUBO_RUNNING: { message: (path: string, process: number) => `Kubo works on ${path} (process ${process}): stop it first` },
  E_KUBO_API: {
    message: (file: string) => `Kubo may be running, as there is ${file}: stop it first, or remove the file if it was killed`
  },
  E_KUBO_STORE: {
    message: (file: string, kind: string) =>
      `${file} says that the repo is stored as ${kind}, and only flatfs under /blocks with levelds under / can be read: convert it with ipfs-ds-convert, or export what you need ('ipfs dag export')`
  },
  E_LEVELDB_FILE: {
    message: (file: string, why: string) =>
      `${file} cannot be read: ${why}. Nothing was taken over. Start Kubo once and stop it, which may mend that, and begin again`
  }
})
