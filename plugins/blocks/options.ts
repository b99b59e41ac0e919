export { blockOptions } from '../../core/blocks/options.ts'
