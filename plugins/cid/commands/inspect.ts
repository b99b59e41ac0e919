import { z } from 'zod'
import { command, p, value } from '../../../core/index.ts'
import { formatErrors } from '../errors.ts'
import { inspectCid, inspectionLines } from '../inspection.ts'

const named = { code: z.int().meta({ go: 'uint64' }), name: z.string() }

export const inspect = command.read('cid/inspect', {
  status: 'newer',
  help: 'Show the parts of a CID: version, base, codec, hash function and digest, and how it is written in either version.',
  examples: [{ title: 'Take a CID apart', args: 'cid inspect QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  args: { cid: p.cid('The CID.').raw().fromBody({ firstLine: true }) },
  reply: value(
    z.object({
      cid: z.string(),
      version: z.int(),
      multibase: z.object({ prefix: z.string(), name: z.string() }),
      multicodec: z.object(named),
      multihash: z.object({ ...named, length: z.int(), digest: z.string().describe('Base 16.') }),
      cidV0: z.string().optional().describe('Only where there is one.'),
      cidV1: z.string(),
      errorMsg: z.string().optional().describe('Why the text is no CID; then all else is empty.')
    })
  ),
  xml: 'CidInspectRes',
  text(inspection) {
    if (inspection.errorMsg !== undefined) throw formatErrors.E_CID_INSPECTED(inspection.errorMsg)
    return inspectionLines(inspection)
  },
  run: (_, { args }) => inspectCid(args.cid)
})
