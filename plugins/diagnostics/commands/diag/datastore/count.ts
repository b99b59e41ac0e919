import { z } from 'zod'
import { command, Datastore, p, value } from '../../../../../core/index.ts'
import { keyOf } from '../../../key-of.ts'

export const diagDatastoreCount = command({
  path: 'diag/datastore/count',
  status: 'newer',
  access: 'admin',
  local: true,
  blocks: 'neither',
  help: 'Count the keys of the datastore below a prefix.',
  examples: [{ title: 'Count all keys', args: 'diag datastore count /' }],
  needs: { datastore: Datastore },
  args: { prefix: p.string('The prefix, e.g. /pins; / for all.') },
  reply: value(z.object({ Prefix: z.string(), Count: z.int() })),
  text: ({ Count }) => `${Count}\n`,
  async run({ datastore }, { args, signal }) {
    const prefix = keyOf(args.prefix).toString()
    let count = 0
    for await (const key of datastore.queryKeys({ prefix: prefix === '/' ? '/' : `${prefix}/` }, { signal })) {
      signal.throwIfAborted()
      if (key !== undefined) count++
    }
    return { Prefix: prefix, Count: count }
  }
})
