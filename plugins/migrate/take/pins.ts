import { cidToString, IDENTITY, parseCid } from '../../../core/cid/index.ts'
import { type Blockstore, type CID, fastBlocks, messageOf, type Pin, type Pins, type References } from '../../../core/index.ts'
import type { KuboPin } from '../kubo/pins.ts'
import type { Report } from '../report.ts'

/** Pins that are made at a time: each waits for the disk, and those that wait together wait once. */
const AT_ONCE = 64

/** The CIDs that a new node pins (Kubo 0.28, cmd/ipfs/kubo/init.go). */
const EMPTY_FOLDER = parseCid('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')

interface Parts {
  readonly pins: Pins
  readonly store: Blockstore
  readonly references: References | undefined
}

/**
 * Makes the pins of a repo, whose blocks are stored. Of a recursive one, what lies below its root is taken for as whole as it was there: `pin
 * verify` looks at that. What a pin here keeps already stays as it is, with its name. Yields how many were looked at.
 *
 * @param isNew - whether the repo holds nothing else yet
 */
export async function* takePins(
  all: readonly KuboPin[],
  { pins, store, references }: Parts,
  { report, isNew, signal }: { readonly report: Report; readonly isNew: boolean; readonly signal: AbortSignal }
): AsyncGenerator<number> {
  const blocks = fastBlocks(store)
  const recursive = new Set(all.flatMap(({ cid, mode }) => (mode === 'recursive' ? [String(cid)] : [])))
  const isStored = async ({ multihash: { code, bytes } }: CID) =>
    // the bytes stand in the CID
    code === IDENTITY || (await blocks.hasMultihash(bytes)) || (await references?.get(bytes)) !== undefined
  const make = async ({ cid, mode, name }: KuboPin, there: Pin | undefined) => {
    if (there?.mode === mode || there?.mode === 'recursive') {
      if (there.mode !== mode || there.name !== name) report.Kept.push(difference({ cid, mode, name }, there))
    } else if (mode === 'recursive') await pins.addWritten(cid, { name: there?.name || name, signal })
    else await pins.add(cid, { name, recursive: false, offline: true, signal })
  }
  const takeOne = async (pin: KuboPin) => {
    const { cid, mode, name } = pin
    const about = `the ${mode} pin of ${cidToString(cid)}`
    if (!(await isStored(cid))) report.Left.push(`${about}: its block is not there`)
    else if (mode === 'direct' && recursive.has(String(cid))) report.Left.push(`${about}: it has a recursive one as well`)
    else {
      try {
        await make(pin, await pins.get(cid))
      } catch (error) {
        signal.throwIfAborted()
        report.Left.push(`${about}: ${messageOf(error)}`)
        return
      }
      report.Pins[mode === 'recursive' ? 'Recursive' : 'Direct']++
      if (name !== '') report.Pins.Named++
    }
  }
  for (let at = 0; at < all.length; at += AT_ONCE) {
    signal.throwIfAborted()
    await Promise.all(all.slice(at, at + AT_ONCE).map(takeOne))
    yield Math.min(at + AT_ONCE, all.length)
  }
  if (isNew && !all.some(({ cid }) => cid.equals(EMPTY_FOLDER)) && (await pins.get(EMPTY_FOLDER)) !== undefined) {
    await pins.remove(EMPTY_FOLDER)
  }
}

function difference({ cid, mode, name }: KuboPin, there: Pin): string {
  const how = (pin: Pick<Pin, 'mode' | 'name'>) => (pin.name === '' ? `${pin.mode}, without a name` : `${pin.mode}, named '${pin.name}'`)
  return `the pin of ${cidToString(cid)}: ${how(there)} here; ${how({ mode, name })} there`
}
