import { z } from 'zod'
import { blockOptions } from '../../../../core/blocks/options.ts'
import { command, p, value } from '../../../../core/index.ts'
import { FileListing } from '../../file-listing.ts'
import { object } from '../../file-object.ts'
import { objectNeeds } from '../../objects.ts'
import { OlderSettings } from '../../settings.ts'
import { columns } from '../../text.ts'

export const fileLs = command.read('file/ls', {
  status: 'deprecated',
  help: 'List files and the entries of folders, with the sizes of the files.',
  examples: [{ title: 'List a folder as JSON', args: 'file ls --encoding=json QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn' }],
  needs: { ...objectNeeds, settings: OlderSettings },
  args: { ipfsPath: p.contentPath('Files and folders.').many().fromBody() },
  reply: value(z.object({ Arguments: z.record(z.string(), z.string()), Objects: z.record(z.string(), object) })),
  xml: 'LsOutput',
  text({ Arguments, Objects }) {
    const all = Object.entries(Arguments).map(([path, hash]) => ({ path, of: Objects[hash]! }))
    const folders = all.filter(({ of }) => of.Type === 'Directory')
    const lines = all.filter(({ of }) => of.Type !== 'Directory').map(({ path }) => `${path}\n`)
    const lists = folders.map(({ path, of }) => {
      const head = folders.length > 1 || lines.length > 0 ? `${path}:\n` : ''
      return head + columns((of.Links ?? []).map(({ Name }) => [Name]))
    })
    return [lines.join(''), ...lists].filter(text => text !== '').join('\n')
  },
  async run({ paths, blocks, settings }, call) {
    const how = blockOptions(call)
    const listing = new FileListing(blocks, how, settings.maxEntries)
    const Arguments: Array<[string, string]> = []
    for (const path of call.args.ipfsPath) {
      const { cid } = await paths.resolve(path, how)
      Arguments.push([path, await listing.add(cid)])
    }
    // own members whatever their names, sorted as the reference's maps are
    return { Arguments: sorted(Arguments), Objects: sorted(listing.objects) }
  }
})

function sorted<V>(entries: Iterable<[string, V]>): Record<string, V> {
  return Object.fromEntries([...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
}
