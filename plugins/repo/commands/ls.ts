import { refStream, storedRefs } from '../../../core/blocks/index.ts'
import { Blocks, command } from '../../../core/index.ts'

export const ls = command.read('repo/ls', {
  help: 'List all blocks of the local store.',
  examples: [{ title: 'List what the store holds', args: 'repo ls' }],
  needs: { blocks: Blocks },
  ...refStream,
  run: ({ blocks }, call) => storedRefs(blocks, call)
})
