/**
 * A denylist: content that the gateway answers with 410, and calls refuse where `calls` says so, by files in the compact denylist format.
 *
 * ```yaml
 * plugins:
 *   denylist: { files: [/etc/ipfs/denylists], calls: true }
 * ```
 *
 * @packageDocumentation
 */
import { Denylist, Log, plugin, Resources, service } from '../../core/index.ts'
import { denylistErrors } from './errors.ts'
import { FileDenylist } from './service.ts'
import { DenylistSettings, denylistSettings } from './settings.ts'

export default plugin({
  name: 'denylist',
  api: '^1',
  about: 'Content that is not given, by lists in files: 410 of the gateway, and of calls where it is set.',
  offByDefault: true,
  settings: denylistSettings,
  provides: [
    service(Denylist, { needs: { settings: DenylistSettings, resources: Resources, log: Log }, make: parts => new FileDenylist(parts) })
  ],
  errors: denylistErrors
})
