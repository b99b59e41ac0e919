import { defineErrors } from '../errors.ts'

/** Errors that keep a file from being used: mostly that somebody other than this user decides what is in it. */
export const fileErrors = defineErrors({
  E_FILE_OWNER: {
    message: (file: string, at: string, uid: number) =>
      `${file} is not used: ${at === file ? 'it' : at} belongs to user ${uid}. Where you trust what is in it, make it yours: sudo chown "$USER" ${quoted(at)}`
  },
  E_FILE_SHARED: {
    message: (file: string, at: string, mode: number, by: string) =>
      `${file} is not used: others can write ${at === file ? 'it' : at} (mode ${octal(mode)}). Where you trust what is in it, keep them out: chmod ${by}-w ${quoted(at)}`
  },
  E_FILE_IRREGULAR: { message: (file: string) => `${file} is no regular file` },
  E_SECRET_FILE: { message: (file: string, why: string) => `cannot take a secret from ${file}: ${why}` },
  E_SECRET_ABSENT: { message: (name: string) => `there is no secret in ${name} of the environment` },
  E_SECRET_SHARED: {
    message: (file: string, { uid, mode }: { uid: number; mode: number }) =>
      `the secret in ${file} is not used: others may know it (owner ${uid}, mode ${octal(mode)}). Make it yours alone: chmod 600 ${quoted(file)}, and chown it where it is another user's`
  },
  E_FILE_LINKS: { message: (file: string) => `${file} is not used: too many symlinks lead to it` }
})

/** A mode as `chmod` takes it. */
export const octal = (mode: number) => (mode & 0o7777).toString(8).padStart(4, '0')

/** A path as one word of a shell. */
const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`
