import { bytes, command, files } from '../../../../core/index.ts'
import { decodeFirstFile } from '../../part.ts'
import { CidSettings } from '../../settings.ts'

export const multibaseDecode = command.read('multibase/decode', {
  help: 'Decode multibase text into bytes.',
  examples: [{ title: 'Decode a file of multibase text', args: 'multibase decode encoded.txt' }],
  needs: { settings: CidSettings },
  body: files('encoded_file', 'Multibase text to decode.'),
  reply: bytes(),
  async run({ settings }, { body }) {
    return { bytes: [await decodeFirstFile(body, settings.maxInput)] }
  }
})
