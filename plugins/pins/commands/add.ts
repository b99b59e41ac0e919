import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { blockOptions, provideOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { command, either, Host, PathResolver, Pins, p, prefixed } from '../../../core/index.ts'
import { within } from '../../../core/timing.ts'
import { checkPinName } from '../name.ts'
import { pathsArgument, pinsReply } from '../replies.ts'

/** The time between two reports of progress, in milliseconds (Kubo 0.28, core/commands/pin). */
const REPORT_EVERY = 500

export const add = command.write('pin/add', {
  help: 'Keep an object, and all it links to, in local storage.',
  examples: [{ title: 'Keep a folder under a name', args: 'pin add --name=site QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { pins: Pins, paths: PathResolver, host: Host },
  args: { ipfsPath: pathsArgument('Object to pin.') },
  options: {
    recursive: p.bool('Also keep all it links to.').alias('r').default(true),
    name: p.string('A name for the pin.').alias('n').default(''),
    progress: p.bool('Report how many nodes were fetched.').default(false),
    ...provideOptions
  },
  reply: either(pinsReply, z.object({ Pins: z.array(z.string()).optional(), Progress: z.int().optional() })),
  xml: 'AddPinOutput',
  progress: {
    asks: () => ({ progress: true }),
    of: item => ('Progress' in item && item.Progress !== undefined ? { done: item.Progress, unit: 'nodes', only: true } : undefined)
  },
  text: ({ Pins = [] }, { options }) => Pins.map(cid => `pinned ${cid} ${options.recursive ? 'recursively' : 'directly'}\n`).join(''),
  run({ pins, paths, host }, call) {
    const { args, options } = call
    const { recursive, name } = options
    checkPinName(name, host.level)
    const how = blockOptions(call)
    const encode = cidEncoder(options)
    /** In the order given; what was pinned before one that fails stays pinned. */
    const pinAll = async (onProgress?: (nodes: number) => void) => {
      const pinned: string[] = []
      for (const path of args.ipfsPath) {
        const { cid } = await paths.resolve(path, how)
        await pin(cid, onProgress)
        pinned.push(encode(cid))
      }
      return { Pins: pinned }
    }
    const pin = async (cid: CID, onProgress?: (nodes: number) => void) => {
      try {
        await pins.add(cid, { ...how, recursive, name, onProgress })
      } catch (error) {
        throw prefixed('pin: ', error)
      }
    }
    return options.progress ? reporting(pinAll) : pinAll()
  }
})

/** How many nodes there were, from time to time and at last; then what `work` answers. */
async function* reporting<T>(
  work: (onProgress: (nodes: number) => void) => Promise<T>
): AsyncGenerator<T | { Progress?: number | undefined }> {
  let before = 0
  let current = 0
  const done = work(nodes => {
    // Every root counts from one.
    if (nodes < current) before += current
    current = nodes
  })
  const progress = () => ({ Progress: before + current || undefined })
  done.catch(() => {})
  while (!(await within(REPORT_EVERY, done))) yield progress()
  if (before + current > 0) yield progress()
  yield await done
}
