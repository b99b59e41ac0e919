import { localRefs } from '../../../../core/blocks/local-refs.ts'

export const refsLocal = localRefs('refs/local')
