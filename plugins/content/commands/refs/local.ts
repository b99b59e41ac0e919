import { refStream, storedRefs } from '../../../../core/blocks/index.ts'
import { Blocks, command } from '../../../../core/index.ts'

export const refsLocal = command.read('refs/local', {
  help: 'List all blocks of the local store.',
  examples: [{ title: 'List what the store holds', args: 'refs local' }],
  needs: { blocks: Blocks },
  ...refStream,
  run: ({ blocks }, call) => storedRefs(blocks, call)
})
