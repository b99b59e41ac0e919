import { storedRefs } from '../../../core/blocks/index.ts'
import { command } from '../../../core/index.ts'

export const ls = command.read('repo/ls', {
  ...storedRefs,
  examples: [{ title: 'List what the store holds', args: 'repo ls' }]
})
