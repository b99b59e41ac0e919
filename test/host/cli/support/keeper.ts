import { z } from 'zod'
import { command, p, plugin, stream } from '../../../../core/index.ts'

const names = command.read('keeper/ls', {
  help: 'List names.',
  reply: stream(z.object({ Names: z.array(z.string()) })),
  async *run() {
    yield { Names: [] }
  }
})

const known = ({ Names }: { Names: readonly string[] }) => Names

const open = command.read('keeper/open', {
  help: 'Open: "$(touch pwned)" `touch pwned` \\ \x1b[2J\n\t: what has a name.',
  args: { name: p.name('The name.').completedBy('keeper/ls', known) },
  options: { other: p.name('Another.').completedBy('keeper/ls', known), root: p.cid('A CID.').completedBy('keeper/ls', known) },
  reply: stream(z.object({})),
  async *run() {}
})

/** A plugin of a third party that completes names which a node tells. */
export default plugin({ name: 'keeper', api: '^1', about: 'Keeps names.', commands: [names, open] })
