import { z } from 'zod'
import { goJsonIndented } from '../../../../core/go/json.ts'
import { command, either, Host, NodeConfigModel, p, Repo } from '../../../../core/index.ts'
import { bootstrapList, expandedList } from '../../bootstrap/list.ts'
import { type Explanation, explanations } from '../../explanation.ts'

const explanation = z.object({
  Key: z.string(),
  Effect: z.enum(['at once', 'at start', 'never']).describe('When a change of it counts.'),
  By: z.array(z.string()).readonly().describe('The readers of the key: plugins, or `host`.'),
  Why: z.string().optional().describe('Why it has no effect.')
})

export const show = command.admin('config/show', {
  help: 'Show the node configuration, without the secrets in it.',
  examples: [
    { title: 'Show the node configuration', args: 'config show' },
    { title: 'Show when a change of each key counts, and which have no effect on this node', args: 'config show --explain' }
  ],
  needs: { repo: Repo, model: NodeConfigModel, host: Host },
  options: {
    explain: p.bool('Show of each key, instead of its value, who reads it and when a change of it counts.').default(false),
    expandAuto: p.bool('Show the peers of a new node in place of the word `auto` in Bootstrap.')
  },
  reply: either(z.record(z.string(), z.unknown()), explanation),
  text: (shown, { options }) => (options.explain ? line(shown as Explanation) : `${goJsonIndented(shown)}\n`),
  onlyReads: () => true,
  run({ repo, model, host }, { options: { explain, expandAuto } }) {
    const file = repo.config()
    if (explain) return oneByOne(explanations(model.keys(), host.nodeKeyReaders(), file))
    const shown = model.shown(file)
    return expandAuto === true ? { ...shown, Bootstrap: expandedList({ repo, model }, bootstrapList({ model }, file)) } : shown
  }
})

async function* oneByOne(all: Iterable<Explanation>): AsyncGenerator<Explanation> {
  yield* all
}

/** Characters of the longest key. */
const WIDTH = 46

const line = ({ Key, Effect, By, Why }: Explanation): string => `${Key.padEnd(WIDTH)}${Effect.padEnd(10)}${Why ?? By.join(', ')}\n`
