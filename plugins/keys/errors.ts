import { goQuote } from '../../core/go/quote.ts'
import { defineErrors } from '../../core/index.ts'

/** Where a passphrase may stand. */
const PASSPHRASE = 'plugins.keys.passphraseFile, plugins.keys.passphrase, HOLDFAST_KEY_PASSPHRASE_FILE or HOLDFAST_KEY_PASSPHRASE'

/** Texts: Kubo 0.28, core/commands/keystore.go, core/coreapi/key.go, and boxo 0.19, keystore. */
export const keysErrors = defineErrors({
  E_KEY_SELF: {
    message: (verb: 'create' | 'import' | 'rename' | 'overwrite' | 'remove' | 'export') => `cannot ${verb} key with name 'self'`
  },
  E_KEY_NAME: { message: () => 'key name must be at least one character' },
  E_KEY_NAME_LONG: { message: (length: number, most: number) => `key name of ${length} bytes: a file's name holds ${most}` },
  E_KEY_EXISTS: { message: (name: string) => `key with name '${name}' already exists` },
  E_KEY_TAKEN: { message: () => 'key by that name already exists, refusing to overwrite' },
  E_KEY_UNKNOWN: { message: (name: string) => `no key named ${name} was found` },
  E_KEY_ABSENT: { message: () => 'no key by the given name was found' },
  E_KEY_FILE: { message: (name: string, file: string, why: string) => `the key '${name}' in ${file} cannot be used: ${why}` },
  E_KEY_SEALED: {
    message: (name: string, file: string) =>
      `the key '${name}' in ${file} is encrypted, and this node was given no passphrase: ${PASSPHRASE}`
  },
  E_KEY_CLEAR: {
    message: (name: string, other: string) =>
      `the key '${name}' would not be encrypted as '${other}' is, since this node was given no passphrase: ${PASSPHRASE}`
  },
  E_KEY_PASSPHRASE: {
    message: (name: string, file: string) =>
      `the key '${name}' in ${file} cannot be decrypted: it is under another passphrase, or the file was changed`
  },
  E_KEY_FOLDER: { message: (verb: string, path: string, why: string) => `cannot ${verb} ${path}: ${why}` },
  E_KEY_EXPORT_ABSENT: { message: (name: string) => `key with name '${name}' doesn't exist` },
  E_KEY_EXPORT_FORMAT: { message: (format: string) => `unrecognized export format: ${format}` },
  E_ROTATE_NAME: { wire: 'client', message: () => 'keystore name for backing up old key must be provided: --oldkey' },
  E_ROTATE_SELF: { message: () => "keystore name for back up cannot be named 'self'" },
  E_KEY_FORMAT: { message: (format: string) => `unrecognized import format: ${format}` },
  E_KEY_PROTOBUF: { message: (why: string) => `unable to unmarshall format=libp2p-protobuf-cleartext: ${why}` },
  E_KEY_PROTOBUF_PEM: {
    message: () => 'unexpected PEM block for format=libp2p-protobuf-cleartext: try again with format=pem-pkcs8-cleartext'
  },
  E_KEY_TYPE_REFUSED: {
    message: (type: string) =>
      `key type *crypto.${type}PrivateKey is not allowed to be imported, only RSA or Ed25519; use flag --allow-any-key-type if you are sure of what you're doing`
  },
  E_KEY_UPLOAD: { message: () => 'expected a file argument' },
  E_KEY_INPUT: { wire: 'client', message: (most: number) => `more than ${most} bytes are no key` },
  E_SIGN_INPUT: {
    wire: 'client',
    message: (most: number) => `more than ${most} bytes are not signed or verified here; the setting is plugins.keys.maxInput`
  },
  E_VERIFY_KEY: { message: (key: string) => `'${goQuote(key)}' is not a known key, an IPNS Name, or a valid PeerID` },
  E_VERIFY_NO_KEY: { message: () => 'public key is not embedded in peer ID' }
})
