import { z } from 'zod'
import { blockOptions } from '../../../../core/blocks/options.ts'
import { SHA2_256 } from '../../../../core/cid/codes.ts'
import { cidEncoder } from '../../../../core/cid/encoder.ts'
import { type Body, command, commonErrors, optional, Pins, p, References, UnixFs, value } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'

/** How the reference makes a file of what lies behind a URL (go-ipfs 0.4.23, core/commands/urlstore.go). */
const NAMING = { cidVersion: 1, hash: SHA2_256, rawLeaves: true, nocopy: true, wrap: false, chunker: 'size-262144' } as const

export const urlAdd = command.write('urlstore/add', {
  status: 'deprecated',
  help: 'Make a file of what lies behind a URL, its bytes staying there.',
  needs: { references: optional(References), unixfs: UnixFs, pins: optional(Pins) },
  args: { url: p.string('The URL.') },
  options: {
    trickle: p.bool('Lay it out as a trickle DAG.').alias('t').default(false),
    pin: p.bool('Pin it.').default(true)
  },
  reply: value(z.object({ Key: z.string(), Size: z.int() })),
  xml: 'UrlstoreAddOutput',
  text: ({ Key }) => `${Key}\n`,
  async run({ references, unixfs, pins }, call) {
    const { args, options, signal } = call
    const { url } = args
    if (!/^https?:\/\/./.test(url)) throw olderErrors.E_URL(url)
    if (references === undefined) throw commonErrors.E_SERVICE_ABSENT('urlstore/add', 'a URL', 'filestore')
    if (!references.isEnabled) throw olderErrors.E_URL_OFF()
    if (options.pin && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('urlstore/add', 'pin', 'pins', 'pin=false stores without it')
    let size = 0
    async function* counted() {
      for await (const piece of references!.open(url, { signal })) {
        size += piece.length
        yield piece
      }
    }
    async function* body(): Body {
      yield { path: '/url', kind: 'file', headers: {}, absPath: url, bytes: counted }
    }
    const layout = options.trickle ? 'trickle' : 'balanced'
    for await (const event of unixfs.import(body(), { ...NAMING, layout, signal })) {
      if (event.type !== 'file') continue
      if (options.pin) await pins!.addWritten(event.cid, blockOptions(call))
      return { Key: cidEncoder(options)(event.cid), Size: size }
    }
    throw olderErrors.E_FILE_EXPECTED()
  }
})
