import { command, optional, Provider, stream } from '../../../core/index.ts'
import { passesOf, passesOptions, passesReply, passesText } from '../passes.ts'

export const stat = statAt('provide/stat')

/** The name that Kubo 0.42 has for `provide/stat` as well. */
export const statsReprovide = statAt('stats/reprovide')

function statAt(path: string) {
  return command.read(path, {
    status: 'newer',
    help: 'Show what the sweep through the DHT, or the passes over all that this node has, told others, and what comes next.',
    examples: [{ title: 'How far the sweep is', args: path.replace('/', ' ') }],
    needs: { provider: optional(Provider) },
    options: passesOptions,
    reply: stream(passesReply, { eager: true }),
    xml: 'provideStats',
    text: passesText,
    async run({ provider }, { options }) {
      return [passesOf(provider, options)]
    }
  })
}
