import { z } from 'zod'
import { provideOptions } from '../../../core/blocks/options.ts'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { commonErrors } from '../../../core/errors/common.ts'
import { Blocks, command, Dag, files, optional, Pins, p, stream } from '../../../core/index.ts'
import { dagCommandErrors } from '../errors.ts'
import { CarImport } from '../import.ts'
import { blockOptions, textEncoder } from '../options.ts'
import { DagSettings } from '../settings.ts'

const uint64 = z.int().meta({ go: 'uint64' })

export const importCar = command.write('dag/import', {
  help: 'Store the blocks of CARs, and pin their roots.',
  examples: [
    { title: 'Store what a CAR holds, and pin its roots', args: 'dag import site.car' },
    { title: 'Store it without pinning, and count it', args: 'dag import --pin-roots=false --stats site.car' }
  ],
  needs: { blocks: Blocks, dag: Dag, pins: optional(Pins), settings: DagSettings },
  options: {
    pinRoots: p.bool('Pin the roots that the CARs name, once all blocks are stored. Default: true, without local-only.'),
    localOnly: p.bool('Pin no roots: the CARs may hold parts of graphs, as dag/export --local-only writes them.'),
    silent: p.bool('No text.'),
    stats: p.bool('Say how many blocks there were, and bytes in them.'),
    allowBigBlock: p.bool('Allow blocks of more than 1 MiB, which other peers may refuse.').default(false),
    ...provideOptions
  },
  body: files('path', 'CARs.'),
  reply: stream(
    z.object({
      Root: z.object({ Cid: z.object({ '/': z.string() }), PinErrorMsg: z.string() }).optional(),
      Stats: z.object({ BlockCount: uint64, BlockBytesCount: uint64 }).optional()
    })
  ),
  xml: 'CarImportOutput',
  text({ Root, Stats }, call) {
    if (call.options.silent) return ''
    if (Stats !== undefined) return `Imported ${Stats.BlockCount} blocks (${Stats.BlockBytesCount} bytes)\n`
    const { Cid, PinErrorMsg } = Root!
    const cid = textEncoder(call)(parseCid(Cid['/']))
    if (PinErrorMsg !== '') throw dagCommandErrors.E_ROOT_PIN(cid, PinErrorMsg)
    return `Pinned root\t${cid}\tsuccess\n`
  },
  async *run({ blocks, dag, pins, settings }, call) {
    const { localOnly = false, pinRoots = !localOnly, stats, allowBigBlock } = call.options
    if (localOnly && pinRoots) throw dagCommandErrors.E_IMPORT_LOCAL()
    if (pinRoots && pins === undefined)
      throw commonErrors.E_SERVICE_ABSENT('dag/import', 'pin-roots', 'pins', 'pin-roots=false stores without it')
    const how = blockOptions(call)
    const work = new CarImport({ blocks, dag }, { ...how, ...settings, allowBigBlock })
    await work.readAll(call.body)
    if (pinRoots) {
      for (const cid of work.roots) {
        const failure = await work.pin(cid, { blocks, pins: pins! }, how)
        yield { Root: { Cid: { '/': cidToString(cid) }, PinErrorMsg: failure } }
      }
    }
    if (stats) yield { Stats: { BlockCount: work.blocks, BlockBytesCount: work.bytes } }
  }
})
