import { networkErrors } from '../../../core/errors/index.ts'
import { bytes, command, commonErrors, Names, p } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'

export const get = command.read('name/get', {
  status: 'newer',
  help: 'Fetch the best IPNS record of a name, as bytes.',
  examples: [
    {
      title: 'Keep the record of a name in a file',
      args: 'name get k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0 > site.ipns-record'
    }
  ],
  needs: { names: Names },
  args: { name: p.name('The name, with or without /ipns/ before it.') },
  reply: bytes(),
  async run({ names }, { args, options, signal }) {
    if (names.routes.length === 0 || options.offline === true) throw commonErrors.E_ACTION_NEEDS_ONLINE()
    const name = args.name.replace(/^\/ipns\//, '')
    if (name.includes('/')) throw nameErrors.E_NAME_ROUTING_KEY()
    const record = await names.record(name, { signal })
    if (record === undefined) throw networkErrors.E_PEER_NOT_FOUND()
    return { type: 'application/vnd.ipfs.ipns-record', bytes: [record] }
  }
})
