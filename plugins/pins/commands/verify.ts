import { z } from 'zod'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { Blocks, command, Dag, Pins, p, stream } from '../../../core/index.ts'
import { checkPins } from '../check.ts'
import { pinErrors } from '../errors.ts'

export const verify = command.read('pin/verify', {
  help: 'Tell whether the graphs of recursive pins are whole in local storage.',
  examples: [{ title: 'Name the pins whose objects are not all there', args: 'pin verify' }],
  needs: { pins: Pins, blocks: Blocks, dag: Dag },
  options: {
    verbose: p.bool('Name the pins that are whole as well.').default(false),
    quiet: p.bool('Name the broken pins only, not what is wrong with them.').alias('q').default(false)
  },
  reply: stream(
    z.object({
      Cid: z.string(),
      Ok: z.literal(true).optional(),
      BadNodes: z.array(z.object({ Cid: z.string(), Err: z.string() })).optional()
    })
  ),
  xml: 'PinVerifyRes',
  progress: {
    asks: ({ options }) => (options.quiet ? {} : { verbose: true }),
    of: ({ Cid, Ok }, { options }) => ({ done: 1, unit: 'pins', of: Cid, only: Ok === true && !options.verbose })
  },
  text: ({ Cid, Ok, BadNodes = [] }, { options }) =>
    options.quiet ? `${Cid}\n` : `${Cid} ${Ok ? 'ok' : 'broken'}\n${BadNodes.map(({ Cid: cid, Err }) => `  ${cid}: ${Err}\n`).join('')}`,
  async *run({ pins, blocks, dag }, { options, signal }) {
    const { verbose, quiet } = options
    if (verbose && quiet) throw pinErrors.E_VERIFY_OPTIONS()
    const encode = cidEncoder(options)
    for await (const { cid, bad } of checkPins(pins, blocks, dag, { signal })) {
      if (bad.length > 0)
        yield { Cid: encode(cid), BadNodes: quiet ? undefined : bad.map(node => ({ Cid: encode(node.cid), Err: node.reason })) }
      else if (verbose) yield { Cid: encode(cid), Ok: true as const }
    }
  }
})
