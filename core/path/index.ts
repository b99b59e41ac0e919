/**
 * Content paths: reading them, and finding what they lead to.
 *
 * @packageDocumentation
 */
export { parseContentPath } from './parse.ts'
export { ContentPathResolver } from './resolver.ts'
