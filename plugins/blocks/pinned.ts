import { Key } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { cidToString } from '../../core/cid/parse.ts'
import { type BlockOptions, type Datastore, messageOf, PINS_FORMAT, type Pinned, type Pins } from '../../core/index.ts'
import { blockCommandErrors } from './errors.ts'

/** Answers, for the text of a CID, why its block may not be removed; undefined when it may. */
export async function whyKept(
  { pins, datastore }: { readonly pins: Pins | undefined; readonly datastore: Datastore | undefined },
  cids: readonly CID[],
  options: BlockOptions
): Promise<(cid: string) => string | undefined> {
  if (cids.length === 0) return () => undefined
  try {
    if (pins === undefined) {
      // there are pins, and nobody to say of what
      if (await datastore?.has(new Key(PINS_FORMAT))) throw blockCommandErrors.E_PINS_UNSEEN()
      return () => undefined
    }
    const pinned = await pins.why(cids, options)
    return cid => textOf(pinned.get(cid))
  } catch (error) {
    options.signal?.throwIfAborted()
    const { message } = blockCommandErrors.E_PIN_CHECK(messageOf(error))
    return () => message
  }
}

/** Kubo 0.28, boxo/pinning/pinner: Pinned.String */
function textOf(pinned: Pinned | undefined): string | undefined {
  if (pinned === undefined) return undefined
  return pinned.mode === 'indirect' ? `pinned via ${cidToString(pinned.through as CID)}` : `pinned: ${pinned.mode}`
}
