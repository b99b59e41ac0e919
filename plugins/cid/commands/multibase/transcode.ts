import { multibaseByName } from '../../../../core/cid/bases.ts'
import { encodeStream } from '../../../../core/cid/stream.ts'
import { bytes, command, files, p } from '../../../../core/index.ts'
import { decodeFirstFile } from '../../part.ts'
import { CidSettings } from '../../settings.ts'

export const multibaseTranscode = command.read('multibase/transcode', {
  help: 'Turn multibase text into another base.',
  examples: [{ title: 'Turn base32 into base58', args: 'multibase transcode -b base58btc encoded.txt' }],
  needs: { settings: CidSettings },
  body: files('encoded_file', 'Multibase text to turn.'),
  options: { b: p.multibase('Multibase to encode in.').default('base64url') },
  reply: bytes({ text: true }),
  async *run({ settings }, { body, options }) {
    const base = multibaseByName(options.b)
    yield* encodeStream(base, [await decodeFirstFile(body, settings.maxInput)])
  }
})
