/**
 * The host as a value.
 *
 * ```ts
 * import { createHost } from 'holdfast/host'
 *
 * const host = await createHost({ repo: { path: '/var/lib/holdfast', init: {} } })
 * await host.start()
 * for await (const event of await host.call('add', { body: parts() })) console.log(event)
 * await host.stop()
 * ```
 *
 * @packageDocumentation
 */
export type { CallRequest, Calls } from '../core/index.ts'
export type { InProcessRequest } from './calls/in-process.ts'
export type { HostConfiguration, OnFailure, Toggle } from './configuration.ts'
export { createHost } from './create.ts'
export { NodeHost } from './host.ts'
export type { HostOptions } from './options.ts'
