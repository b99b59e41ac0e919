import { z } from 'zod'
import { command, p, stream } from '../../../core/index.ts'
import { Queue } from '../queue.ts'

export const clear = command.write('provide/clear', {
  status: 'newer',
  blocks: 'neither',
  help: 'Empty the queue of new blocks that others are still to be told of. The next pass over all tells of those that it covers.',
  examples: [{ title: 'Forget what waits', args: 'provide clear' }],
  needs: { queue: Queue },
  options: { quiet: p.bool('Answer nothing.').alias('q') },
  reply: stream(z.int().describe('How many there were.')),
  text: count => `removed ${count} items from provide queue\n`,
  async *run({ queue }, { options, signal }) {
    const count = await queue.clear(signal)
    if (options.quiet !== true) yield count
  }
})
