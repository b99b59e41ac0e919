import { command, p } from '../../../core/index.ts'
import { entryEncoder, ipnsBase, keyReply, ofKeyPairs } from '../replies.ts'

/** Stands for the usual size. */
const USUAL = -1

export const gen = command.write('key/gen', {
  help: 'Make a key pair under a name.',
  examples: [
    { title: 'Make a key for a site', args: 'key gen blog' },
    { title: 'Make an RSA key', args: 'key gen --type=rsa --size=4096 archive' }
  ],
  ...ofKeyPairs,
  args: { name: p.name('Name of the key.') },
  options: {
    type: p.string('Its type.').alias('t').default('ed25519').oneOf('ed25519', 'rsa'),
    size: p.int('Bits of an RSA key, 2048 to 8192; -1: 2048.').alias('s').default(USUAL),
    ipnsBase
  },
  ...keyReply,
  async run({ keys }, { args, options, signal }) {
    const encode = entryEncoder(options.ipnsBase)
    const { type, size } = options
    return encode(await keys.generate(args.name, { type, bits: size === USUAL ? undefined : size, signal }))
  }
})
