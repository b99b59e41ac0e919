import { getSystemErrorMessage } from 'node:util'
import { defineErrors, messageOf } from '../../core/errors.ts'

/** Errors of a command line, and of the node that it reaches. Texts of the reference are those of go-ipfs-cmds 0.10. */
export const cliErrors = defineErrors({
  E_COMMAND_BEHIND: {
    wire: 'client',
    message: (words: string) =>
      `'--' ends the options and the words of a command, so '${words.split(' ').at(-1)}' behind it names none: put it before`
  },
  E_COMMAND_LINE: { wire: 'client', message: (words: string, hint: string) => `unknown command '${words}'${hint}` },
  E_OPTION_UNKNOWN: { wire: 'client', message: (name: string, hint: string) => `unknown option '${name}'${hint}` },
  E_OPTION_BARE: { wire: 'client', message: (name: string) => `missing argument for option '${name}'` },
  E_OPTION_TEXT: { wire: 'client', message: (why: string) => why },
  E_WORDS_TOO_MANY: { wire: 'client', message: (word: string, most: number) => `too many arguments: '${word}' is one more than ${most}` },
  E_PLUGIN_NAME: {
    wire: 'client',
    message: (name: string) => `'${name}' is no name of a plugin: small letters, digits and '-', a letter first: acme-audit`
  },
  E_PLUGIN_NAME_BUILT_IN: { wire: 'client', message: (name: string) => `'${name}' is the name of a built-in plugin: choose another one` },
  E_FOLDER_TAKEN: { wire: 'client', message: (folder: string) => `${folder} is not empty: nothing is written there` },
  E_FOLDER_REPO: {
    message: (path: string) =>
      `${path} is this node's repo, whose configuration holds its private key: name what is to be sent, or leave it out by --ignore`
  },
  E_FOLDER_NOT_RECURSIVE: {
    wire: 'client',
    message: (path: string) => `'${path}' is a directory, use the '-r' flag to specify directories`
  },
  E_FOLDER_REFUSED: {
    wire: 'client',
    message: (path: string, name: string) => `invalid path '${path}', argument '${name}' does not support directories`
  },
  E_FILE_KIND: { wire: 'client', message: (path: string) => `'${path}' is no file, folder or symlink` },
  E_FILE_UNREADABLE: { message: (path: string, why: string) => `cannot read '${path}': ${why}` },
  E_STDIN_UNREADABLE: { message: (why: string) => `read /dev/stdin: ${why}` },
  E_FILES_SAME_NAME: {
    wire: 'client',
    message: (name: string, folder: string, other: string) =>
      `file name ${name} repeated under different import directories: ${folder} and ${other}`
  },
  E_STDIN_NAME: {
    wire: 'client',
    message: (name: string) =>
      `--stdin-name '${name}': an entry of a folder cannot have that name; give one without a slash, and neither '.' nor '..'`
  },
  E_STDIN_TWICE: { wire: 'client', message: () => "standard input ('-') can be read once only" },
  E_API_ADDRESS: {
    wire: 'client',
    message: (text: string) => `'${text}' is no address of an RPC: give a multiaddr such as /ip4/127.0.0.1/tcp/5001, or a URL`
  },
  E_API_FILE: {
    message: (file: string, address: string) =>
      `${file} is not used: it names ${JSON.stringify(address)}, which is no address on loopback and no socket. Where a node of yours is there, name it: --api ADDRESS`
  },
  E_SECRET_TWICE: { wire: 'client', message: () => 'give the secret once: --api-auth or --api-auth-file' },
  E_SECRET_FORM: {
    wire: 'client',
    message: (from: string) => `the secret of ${from} has a character in it that no header field can hold, such as the end of a line`
  },
  E_API_UNREACHABLE: { message: (address: string, why: string) => `cannot connect to the api at ${address}: ${why}` },
  E_API_BROKEN: { message: (path: string) => `${path}: the answer broke off before its end` },
  E_API_ANSWER: { message: (path: string, what: string) => `${path}: the answer is not what this command answers: ${what}` },
  E_LOCAL_LOCKED: {
    message: (path: string) => `'${path}' works on the repo in this process, and a node that runs there holds it: stop that node first`
  },
  E_API_LOCAL: { wire: 'client', message: (path: string) => `'${path}' runs on this machine only: leave --api out` },
  E_GATEWAY_COMMAND: {
    wire: 'client',
    message: (path: string) =>
      `'${path}' cannot be run on a gateway: commands that only read content can, such as get, cat, ls and dag export`
  },
  E_GATEWAY_API: { wire: 'client', message: () => 'say --gateway or --api: content is read from gateways, or a node is asked' },
  E_SHELL: {
    wire: 'client',
    message: (name: string, known: readonly string[]) => `there is no completion for '${name}': one of ${known.join(', ')}`
  },
  E_ENCODING: { wire: 'client', message: (name: string) => `unknown encoding '${name}': use json, xml or text` },
  E_DECLARED_ELSEWHERE: {
    wire: 'client',
    message: (words: string, plugin: string) =>
      `the running node has '${words}' from the plugin '${plugin}', which the configuration found here does not name: give the node's with --config FILE`
  },
  E_COMMAND_OFF: { message: (words: string, reason: string) => `'${words}' is switched off: ${reason}` },
  E_ITEMS_FAILED: { message: (what: string) => what },
  E_OUTPUT: { message: (why: string) => `cannot write to standard output, which ends before its end: ${why}` },
  E_SAVE_NAME: { message: (name: string, why: string) => `refusing to store '${name}': ${why}` },
  E_SAVE_TRUSTED: {
    message: (path: string, what: string) =>
      `refusing to store '${path}': it would become part of ${what}. Where you trust what was asked for: --allow-config`
  },
  E_SAVE_EXISTS: { message: (path: string, what: string) => `cannot store '${path}': ${what}` },
  E_SAVE_FAILED: { message: (path: string, why: string) => `cannot write '${path}': ${why}` },
  E_TRUST_LIST: { wire: 'client', message: () => '--list shows every trusted folder: it takes no folder, and no --remove' },
  E_INIT_EXISTS: {
    message: (path: string) =>
      `ipfs configuration file already exists!\nReinitializing would overwrite your keys: there is a repo in ${path}`
  },
  E_TRUST_FOLDER: { wire: 'client', message: (path: string) => `${path} is no folder that could be trusted` }
})

/** Why the system refused something, in its own words. */
export function reasonOf(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException
  return errno === undefined ? messageOf(error) : getSystemErrorMessage(errno)
}
