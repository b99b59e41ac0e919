import { z } from 'zod'
import { cidEncoder } from '../../../../core/cid/encoder.ts'
import { command, files, value } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'
import { objectNeeds } from '../../objects.ts'
import { OlderSettings } from '../../settings.ts'
import { TarImport } from '../../tar-import.ts'

export const tarAdd = command.write('tar/add', {
  status: 'deprecated',
  help: 'Store a tar archive so that its files are objects of their own, and the archive can be had again.',
  needs: { ...objectNeeds, settings: OlderSettings },
  body: files('file', 'The archive.', { many: false }),
  reply: value(z.object({ Name: z.string(), Hash: z.string() })),
  xml: 'AddEvent',
  text: ({ Hash }) => `${Hash}\n`,
  async run({ settings, ...parts }, call) {
    const encode = cidEncoder(call.options)
    for await (const part of call.body) {
      if (part.kind !== 'file') break
      const { cid } = await new TarImport(parts, call.signal, settings.maxEntries).run(part.bytes())
      return { Name: part.path.slice(part.path.lastIndexOf('/') + 1), Hash: encode(cid) }
    }
    throw olderErrors.E_FILE_EXPECTED()
  }
})
