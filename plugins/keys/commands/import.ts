import { command, files, Keys, p } from '../../../core/index.ts'
import { keysErrors } from '../errors.ts'
import { formats, readKey } from '../import-formats.ts'
import { withFile } from '../input.ts'
import { entryEncoder, ipnsBase, keyReply } from '../replies.ts'
import { KeyInputs } from '../settings.ts'

/** Most bytes of a file with a key: one of RSA with 8192 bits has less than 10,000 in PEM. */
const MOST = 65_536

export const importKey = command.write('key/import', {
  blocks: 'neither',
  help: 'Take a private key in under a name.',
  examples: [
    { title: 'Import a key that was exported', args: 'key import blog site.key' },
    { title: 'Import a key that OpenSSL made', args: 'key import --format=pem-pkcs8-cleartext shop site.pem' }
  ],
  needs: { keys: Keys, inputs: KeyInputs },
  args: { name: p.name('Name of the key.') },
  options: {
    ipnsBase,
    format: p
      .string('The format of the file.')
      .alias('f')
      .default(formats[0]!)
      .oneOf(...formats),
    allowAnyKeyType: p.bool('Take keys of all types, also those that other nodes do not make.').default(false)
  },
  body: files('key', 'The private key.', { many: false }),
  ...keyReply,
  async run({ keys, inputs }, { args, options, body }) {
    const encode = entryEncoder(options.ipnsBase)
    if (args.name === 'self') throw keysErrors.E_KEY_SELF('import')
    const identity = await withFile(body, { inputs, most: MOST, tooMuch: keysErrors.E_KEY_INPUT }, bytes =>
      readKey(bytes, options.format, { anyType: options.allowAnyKeyType })
    )
    return encode(await keys.import(args.name, identity))
  }
})
