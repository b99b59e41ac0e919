import { z } from 'zod'
import { encodeMultibase, multibaseByName } from '../../../core/cid/bases.ts'
import { command, files, Keys, SELF, stream } from '../../../core/index.ts'
import { keysErrors } from '../errors.ts'
import { withFile } from '../input.ts'
import { entryEncoder, ipnsBase, keyEntry, nameArgument } from '../replies.ts'
import { KeyInputs, KeysSettings } from '../settings.ts'
import { signedMessage } from '../signed-message.ts'

const base64url = multibaseByName('base64url')

export const sign = command.write('key/sign', {
  status: 'experimental',
  blocks: 'neither',
  help: 'Sign data with a key.',
  examples: [{ title: "Sign a file with the node's own key", args: 'key sign site/index.html' }],
  needs: { keys: Keys, inputs: KeyInputs, settings: KeysSettings },
  options: { key: nameArgument("Name of the key; default the node's own.").alias('k').default(SELF), ipnsBase },
  body: files('data', 'The data to sign.', { many: false }),
  reply: stream(z.object({ Key: keyEntry, Signature: z.string().describe('Multibase, base64url.') })),
  xml: 'KeySignOutput',
  text: ({ Key, Signature }) => `&{{${Key.Name} ${Key.Id}} ${Signature}}`,
  terminal: ({ Signature }) => `${Signature}\n`,
  onlyReads: () => true,
  async *run({ keys, inputs, settings }, { options, body }) {
    const encode = entryEncoder(options.ipnsBase)
    const limits = { inputs, most: settings.maxInput, tooMuch: keysErrors.E_SIGN_INPUT }
    yield await withFile(body, limits, async data => {
      const name = options.key || SELF
      const key = await keys.get(name)
      if (key === undefined) throw keysErrors.E_KEY_ABSENT()
      return { Key: encode(key), Signature: encodeMultibase(base64url, await keys.sign(name, signedMessage(data))) }
    })
  }
})
