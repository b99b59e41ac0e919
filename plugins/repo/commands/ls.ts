import { localRefs } from '../../../core/blocks/local-refs.ts'

export const ls = localRefs('repo/ls')
