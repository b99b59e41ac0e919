import { z } from 'zod'
import { ipnsErrors } from '../../../core/errors/index.ts'
import { decodeUtf8 } from '../../../core/go/index.ts'
import { command, commonErrors, files, hasCode, messageOf, Names, p, prefixed, value } from '../../../core/index.ts'
import { formatName, type IpnsRecord, MAX_RECORD_SIZE, parseName, readRecord, validateRecord } from '../../../core/ipns/index.ts'
import { nameErrors } from '../errors.ts'
import { checkWays } from '../publish/ways.ts'
import { recordIn } from '../upload.ts'

export const put = command.write('name/put', {
  status: 'newer',
  blocks: 'neither',
  help: 'Keep an IPNS record that was made elsewhere, and hand it to other nodes.',
  examples: [
    {
      title: 'Publish a record of a file',
      args: 'name put k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0 site.ipns-record'
    }
  ],
  needs: { names: Names },
  args: { name: p.name('The name that the record is of, with or without /ipns/ before it.') },
  options: {
    force: p.bool('Hand it on whatever is in it.').alias('f'),
    allowOffline: p.bool('Also where no route leads to other nodes.'),
    allowDelegated: p.bool('Hand it to the publishers over HTTP alone (Ipns.DelegatedPublishers), which takes no route.'),
    quiet: p.bool('Print nothing.').alias('q')
  },
  body: files('record', 'The record, as bytes.', { many: false }),
  reply: value(z.object({ Name: z.string(), Value: z.string().describe('Where it leads; empty where it cannot be read.') })),
  text: ({ Name }, { options }) => (options.quiet ? '' : `${Name}\n`),
  async run({ names }, { args, options, body, signal, log }) {
    const { force = false, allowOffline = false, allowDelegated = false } = options
    checkWays(options, names)
    const multihash = named(args.name)
    const name = formatName(multihash)
    const bytes = await recordIn(body, () => (force ? ipnsErrors.E_RECORD_SIZE() : nameErrors.E_RECORD_LARGE(MAX_RECORD_SIZE)))
    if (bytes.length === 0) throw nameErrors.E_RECORD_EMPTY()
    const isOnline = names.routes.length > 0 && options.offline !== true
    const record = force ? readable(bytes) : await checked(bytes, multihash)
    if (isOnline && !force) await checkFollows(record!, await names.record(name, { signal }))
    if (!isOnline && !allowOffline && !allowDelegated) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    // a better one stays, and what was forced may be none
    await names.put(name, bytes, { signal }).catch(error => {
      if (!isAboutRecord(error)) throw error
      log.warn(`the record of ${name} was not kept here: ${messageOf(error)}`)
    })
    if (isOnline || allowDelegated)
      await names.spread(name, bytes, { signal, delegated: allowDelegated }).catch(error => {
        if (!allowOffline || signal.aborted) throw error
        log.warn(messageOf(error))
      })
    return { Name: name, Value: record === undefined ? '' : decodeUtf8(record.bytesOf('Value') ?? new Uint8Array(0)) }
  }
})

function named(text: string): Uint8Array {
  try {
    return parseName(text)
  } catch (error) {
    throw prefixed('invalid IPNS name: ', error)
  }
}

/** @throws E_RECORD_UNREADABLE, E_RECORD_… */
async function checked(bytes: Uint8Array, multihash: Uint8Array): Promise<IpnsRecord> {
  let record: IpnsRecord
  try {
    record = readRecord(bytes)
  } catch (error) {
    // two errors joined, as later versions of Go do that
    throw nameErrors.E_RECORD_UNREADABLE(messageOf(error).replace('; ', '\n'))
  }
  try {
    await validateRecord(record, multihash)
    return record
  } catch (error) {
    throw prefixed('record validation failed: ', error)
  }
}

function readable(bytes: Uint8Array): IpnsRecord | undefined {
  try {
    return readRecord(bytes)
  } catch {
    return undefined
  }
}

/** @throws E_RECORD_SEQUENCE where a record that is not this one counts as much or more */
async function checkFollows(record: IpnsRecord, found: Uint8Array | undefined): Promise<void> {
  if (found === undefined || Buffer.compare(found, record.bytes) === 0) return
  const { sequence: present = 0n } = readRecord(found)
  const { sequence = 0n } = record
  if (present >= sequence) throw nameErrors.E_RECORD_SEQUENCE(present, sequence)
}

const isAboutRecord = (error: unknown) => Object.keys(ipnsErrors).some(code => hasCode(error, code))
