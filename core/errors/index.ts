export { cidErrors } from './cid.ts'
export { commonErrors } from './common.ts'
export { goErrors } from './go.ts'
