export { commonErrors } from './common.ts'
