import { bytes, command, Datastore, p } from '../../../../../core/index.ts'
import { diagnosticsErrors } from '../../../errors.ts'
import { hexDump } from '../../../hex-dump.ts'
import { keyOf } from '../../../key-of.ts'

export const diagDatastoreGet = command({
  path: 'diag/datastore/get',
  status: 'newer',
  access: 'admin',
  local: true,
  blocks: 'neither',
  help: 'Write the value under a key of the datastore, which holds pins, names, records and other state of the node.',
  needs: { datastore: Datastore },
  args: { key: p.string('The key, e.g. /local/filesroot.') },
  options: { hex: p.bool('For people: in hexadecimal with the characters beside it.') },
  reply: bytes(),
  async run({ datastore }, { args, options, signal }) {
    try {
      const value = await datastore.get(keyOf(args.key), { signal })
      return { bytes: options.hex ? hexDump(value) : [value], eager: true }
    } catch (error) {
      throw (error as Error).name === 'NotFoundError' ? diagnosticsErrors.E_DATASTORE_ABSENT(args.key) : error
    }
  }
})
