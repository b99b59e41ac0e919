import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import type { HeldInput } from '../../../core/body/index.ts'
import { checkCidSecurity, cidToString, parseCid } from '../../../core/cid/index.ts'
import { messageOf } from '../../../core/index.ts'
import { parseAddressOfPeer } from '../../../core/multiaddr/index.ts'
import { pinningServiceErrors } from '../errors.ts'
import type { WantedPin } from '../requests/request.ts'
import type { PinningServiceLimits } from '../settings.ts'

/** Characters of a name, origins of a pin and values of its metadata (IPFS Pinning Service API 1.0.0). */
const MOST_NAME = 255
const MOST_ORIGINS = 20
const MOST_META = 1000

const schema = z.object({
  cid: z.string(),
  name: z
    .string()
    .max(MOST_NAME)
    .refine(name => name.isWellFormed(), 'no UTF-8: there is half a surrogate pair in it')
    .nullish(),
  origins: z.array(z.string()).max(MOST_ORIGINS).nullish(),
  meta: z
    .record(z.string(), z.string())
    .refine(meta => Object.keys(meta).length <= MOST_META, `more than ${MOST_META} values`)
    .nullish()
})

/** The pin in a request's body. @throws E_PINNING_BAD, which names the member that is not as it should be, and what {@link readBody} does */
export async function readPin(request: IncomingMessage, limits: PinningServiceLimits, held: HeldInput): Promise<WantedPin> {
  const { data, error } = schema.safeParse(parsed(await readBody(request, limits, held)))
  if (error !== undefined) {
    const [first] = error.issues
    const at = first!.path.map(String).join('.')
    throw pinningServiceErrors.E_PINNING_BAD(`${at === '' ? 'the body' : at}: ${first!.message}`)
  }
  const { cid, name, origins, meta } = data
  for (const origin of origins ?? []) {
    try {
      await parseAddressOfPeer(origin)
    } catch (refused) {
      throw pinningServiceErrors.E_PINNING_BAD(`origins: ${JSON.stringify(origin)}: ${messageOf(refused)}`)
    }
  }
  return {
    cid: readCid(cid),
    ...(name != null && name !== '' && { name }),
    ...(origins != null && origins.length > 0 && { origins: [...new Set(origins)] }),
    ...(meta != null && Object.keys(meta).length > 0 && { meta })
  }
}

function readCid(text: string): string {
  try {
    const cid = parseCid(text)
    checkCidSecurity(cid)
    return cidToString(cid)
  } catch (error) {
    throw pinningServiceErrors.E_PINNING_BAD(`cid: ${messageOf(error)}`)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw pinningServiceErrors.E_PINNING_BAD(`the body is no JSON: ${messageOf(error)}`)
  }
}

/** @throws E_PINNING_BODY_SIZE, E_PINNING_BODY_LATE, E_PINNING_INPUTS_HELD; the rest of a body is not read then */
async function readBody(request: IncomingMessage, limits: PinningServiceLimits, held: HeldInput): Promise<string> {
  const { bodyBytes, bodyTimeout, maxInputs } = limits
  if (Number(request.headers['content-length'] ?? 0) > bodyBytes) throw pinningServiceErrors.E_PINNING_BODY_SIZE(bodyBytes)
  const chunks: Buffer[] = []
  let size = 0
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(pinningServiceErrors.E_PINNING_BODY_LATE(bodyTimeout)), bodyTimeout)
  const pieces = (request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await Promise.race([pieces.next(), late.promise])
      if (step.done === true) return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
      size += step.value.length
      if (size > bodyBytes) throw pinningServiceErrors.E_PINNING_BODY_SIZE(bodyBytes)
      hold(held, step.value.length, maxInputs)
      chunks.push(step.value)
    }
  } catch (error) {
    if (error instanceof TypeError) throw pinningServiceErrors.E_PINNING_BAD('the body is no UTF-8')
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function hold(held: HeldInput, bytes: number, most: number): void {
  try {
    held.add(bytes)
  } catch {
    throw pinningServiceErrors.E_PINNING_INPUTS_HELD(most)
  }
}
