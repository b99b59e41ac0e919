/**
 * Content paths: reading them, and finding what they lead to.
 *
 * @packageDocumentation
 */
export { domainName } from './domain.ts'
export { type ContentPath, type Namespace, parseAbsolutePath, parseContentPath } from './parse.ts'
export { type Destination, resolveSegments, type SegmentOptions } from './resolve.ts'
export { ContentPathResolver } from './resolver.ts'
