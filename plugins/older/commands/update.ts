import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { bytes, command, hasCode, p } from '../../../core/index.ts'
import { olderErrors } from '../errors.ts'

const PROGRAM = 'ipfs-update'

const NOT_THERE = `${PROGRAM} is an 'external' command.
It does not currently appear to be installed.
Please refer to the ipfs documentation for instructions.
`

export const update = command.admin('update', {
  status: 'deprecated',
  local: true,
  help: `Run the program ${PROGRAM} of this machine.`,
  args: { arg: p.string('Its arguments.').many().optional() },
  reply: bytes({ text: true }),
  async run(_, { args, signal }) {
    const words = args.arg ?? []
    const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'pipe'], signal })
    const out = new PassThrough()
    let open = 2
    for (const from of [child.stdout, child.stderr]) {
      from.pipe(out, { end: false })
      from.once('end', () => --open === 0 && out.end())
    }
    const ended = once(child, 'close')
    ended.catch(() => {})
    try {
      await once(child, 'spawn')
    } catch (error) {
      signal.throwIfAborted()
      if (!hasCode(error, 'ENOENT')) throw olderErrors.E_UPDATE_START((error as Error).message)
      if (words.some(word => word === '--help' || word === '-h')) return { bytes: [Buffer.from(NOT_THERE)] }
      throw olderErrors.E_UPDATE_ABSENT()
    }
    return { bytes: said(out, ended) }
  }
})

async function* said(out: AsyncIterable<Uint8Array>, ended: Promise<unknown[]>): AsyncGenerator<Uint8Array> {
  yield* out
  const [status, signal] = await ended
  if (status !== 0) throw olderErrors.E_UPDATE_FAILED(signal === null ? `status ${status}` : String(signal))
}
