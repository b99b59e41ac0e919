import { multibaseByName } from '../../../../core/cid/bases.ts'
import { encodeStream } from '../../../../core/cid/stream.ts'
import { bytes, command, files, p } from '../../../../core/index.ts'
import { firstFile } from '../../part.ts'

export const multibaseEncode = command.read('multibase/encode', {
  help: 'Encode bytes as multibase text.',
  examples: [{ title: 'Encode a file in base32', args: 'multibase encode -b base32 site/about/me.txt' }],
  body: files('file', 'Bytes to encode.'),
  options: { b: p.multibase('Multibase to encode in.').default('base64url') },
  reply: bytes({ text: true }),
  async *run(_, { body, options }) {
    const base = multibaseByName(options.b)
    yield* encodeStream(base, await firstFile(body))
  }
})
