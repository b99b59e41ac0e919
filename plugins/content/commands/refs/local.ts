import { storedRefs } from '../../../../core/blocks/index.ts'
import { command } from '../../../../core/index.ts'

export const refsLocal = command.read('refs/local', {
  ...storedRefs,
  examples: [{ title: 'List what the store holds', args: 'refs local' }]
})
