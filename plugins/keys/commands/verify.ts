import { z } from 'zod'
import { decodeMultibase } from '../../../core/cid/bases.ts'
import { command, files, Keys, p, SELF, stream } from '../../../core/index.ts'
import { verify as isValid } from '../../../core/keys/index.ts'
import { keysErrors } from '../errors.ts'
import { withFile } from '../input.ts'
import { entryEncoder, ipnsBase, keyEntry, nameArgument } from '../replies.ts'
import { KeyInputs, KeysSettings } from '../settings.ts'
import { signedMessage } from '../signed-message.ts'
import { verifyingKey } from '../verifying-key.ts'

export const verify = command.read('key/verify', {
  status: 'experimental',
  help: 'Tell whether a signature of data was made with a key.',
  examples: [{ title: "Check a signature by the node's own key", args: 'key verify --signature=uXmF2 site/index.html' }],
  needs: { keys: Keys, inputs: KeyInputs, settings: KeysSettings },
  options: {
    key: nameArgument("Name of the key, its ID, or a path such as /ipns/k51…; default the node's own.").alias('k').default(SELF),
    signature: p.string('The signature, in multibase.').alias('s').default(''),
    ipnsBase
  },
  body: files('data', 'The data that was signed.', { many: false }),
  reply: stream(z.object({ Key: keyEntry, SignatureValid: z.boolean() })),
  xml: 'KeyVerifyOutput',
  text: ({ Key, SignatureValid }) => `&{{${Key.Name} ${Key.Id}} %!s(bool=${SignatureValid})}`,
  terminal: ({ SignatureValid }) => `${SignatureValid ? 'valid' : 'not valid'}\n`,
  async *run({ keys, inputs, settings }, { options, body }) {
    const encode = entryEncoder(options.ipnsBase)
    const limits = { inputs, most: settings.maxInput, tooMuch: keysErrors.E_SIGN_INPUT }
    yield await withFile(body, limits, async data => {
      const { bytes: signature } = decodeMultibase(options.signature)
      const key = await verifyingKey(keys, options.key || SELF)
      return { Key: encode(key), SignatureValid: isValid(key.publicKey, signedMessage(data), signature) }
    })
  }
})
