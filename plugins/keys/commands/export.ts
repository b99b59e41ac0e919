import { bytes, command, Keys, p, SELF } from '../../../core/index.ts'
import { pemOf } from '../../../core/keys/index.ts'
import { keysErrors } from '../errors.ts'
import { nameArgument } from '../replies.ts'

/** Endings of the files that keys are exported into, by format (Kubo 0.28, core/commands/keystore.go). */
const ENDINGS: Readonly<Record<string, string>> = { 'libp2p-protobuf-cleartext': 'key', 'pem-pkcs8-cleartext': 'pem' }

const formats = Object.keys(ENDINGS)

export const exportKey = command.admin('key/export', {
  local: true,
  help: 'Write a private key into a file, not encrypted. Who has it can act as this name for good.',
  needs: { keys: Keys },
  args: { name: nameArgument('Name of the key.') },
  options: {
    output: p.file('Where it is written; - for standard output. Default: the name, with .key or .pem.').alias('o'),
    format: p
      .string('The format of the file.')
      .alias('f')
      .default(formats[0]!)
      .oneOf(...formats)
  },
  reply: bytes(),
  saves({ args, options }) {
    const ending = ENDINGS[options.format]
    // a name may have a slash in it, which is no folder
    return { to: options.output ?? `${args.name.replaceAll('/', '_')}.${ending}`, mode: 0o600 }
  },
  onlyReads: () => true,
  async run({ keys }, { args, options }) {
    if (args.name === SELF) throw keysErrors.E_KEY_SELF('export')
    if (!Object.hasOwn(ENDINGS, options.format)) throw keysErrors.E_KEY_EXPORT_FORMAT(options.format)
    if ((await keys.get(args.name)) === undefined) throw keysErrors.E_KEY_EXPORT_ABSENT(args.name)
    const privateKey = await keys.export(args.name)
    return { bytes: [ENDINGS[options.format] === 'pem' ? Buffer.from(pemOf(privateKey)) : privateKey], eager: false }
  }
})
