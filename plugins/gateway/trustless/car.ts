import { selectBlocks, writeCar } from '../../../core/car/index.ts'
import { CID } from '../../../core/index.ts'
import { type ContentRequest, unlessDenied } from '../request/content.ts'
import { attach, isKnown } from './attachment.ts'
import { type CarParameters, carParameters } from './car-parameters.ts'
import { xxh64 } from './hash.ts'
import { sendGathered } from './small.ts'

/** The CID of an empty block: the root of a CAR that shows that a path leads nowhere. */
const NOTHING = CID.parse('bafkqaaa')

/** Bytes up to which a CAR goes out with its length. Of a path that leads nowhere more do: the reference holds back what an error follows. */
const WHOLE = 512
const WHOLE_ABSENT = 2048

/** A CAR of what a path leads to, the way there included; of a path that leads nowhere, of the blocks that show that. */
export async function answerCar(request: ContentRequest): Promise<void> {
  const { reply, query, choice, root, segments, sources, options } = request
  const parameters = carParameters(query, choice)
  const { scope, bytes, order, duplicates } = parameters
  await request.refuseDenied()
  const name = request.nameOf(root)
  const last = segments.at(-1)
  const etag = `W/"${name}.car.${await hashOf(immutablePath(request), parameters)}"`
  attach(request, `${last === undefined ? name : `${name}_${last}`}.car`)
  // of a path that leads nowhere, the last block that there is shows that; who has the archive already is told of a denial, too
  if (request.denylist !== undefined) await Promise.resolve(request.place()).catch(unlessDenied)
  if (isKnown(request, etag)) return
  const selected = await selectBlocks(
    root,
    segments,
    { scope, bytes: scope === 'entity' ? bytes : undefined, duplicates },
    sources,
    options
  ).catch(error => {
    throw request.unresolved(error)
  })
  const { terminal } = selected
  request.tellRoots(terminal === undefined ? [root] : (await request.place()).roots)
  const type = `application/vnd.ipld.car; version=1; order=${order}; dups=${duplicates ? 'y' : 'n'}`
  reply.set('Content-Type', type).set('Etag', etag).set('Accept-Ranges', 'none')
  if (request.cacheControl !== undefined) reply.set('Cache-Control', request.cacheControl)
  return sendGathered(reply, writeCar([terminal ?? NOTHING], selected.blocks()), terminal === undefined ? WHOLE_ABSENT : WHOLE)
}

/** The path with its name resolved: what the archive is of. */
function immutablePath({ path, name }: ContentRequest): string {
  return name === undefined ? path.text : name.path + path.text.slice(`/ipns/${path.root}`.length)
}

/** The hash that Kubo 0.28 makes (boxo gateway: getCarEtag): of all that two CARs of one root may differ by. */
function hashOf(path: string, { scope, bytes, order, duplicates }: CarParameters): Promise<string> {
  const parts: Array<string | Uint8Array> = [path]
  if (scope !== 'all') parts.push(`\0scope=${scope}`)
  if (order !== 'dfs') parts.push(`\0order=${order}`)
  if (duplicates) parts.push('\0dups=y')
  if (bytes !== undefined && (bytes.from !== 0n || bytes.to !== undefined)) {
    parts.push('\0range=', littleEndian(bytes.from))
    if (bytes.to !== undefined) parts.push(littleEndian(bytes.to))
  }
  return xxh64(parts)
}

function littleEndian(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(value)
  return bytes
}
