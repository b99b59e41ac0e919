/**
 * Content and names as folders of the machine, by FUSE of Linux. See `fuse/session.ts` for the conversation with the kernel.
 *
 * @packageDocumentation
 */
import { Datastore, Keys, Log, Mfs, MfsTrees, Names, optional, PathResolver, plugin, service, UnixFs } from '../../core/index.ts'
import { mount } from './commands/mount.ts'
import { mountErrors } from './errors.ts'
import { MountService, Mounts } from './service.ts'
import { MountSettings, mountSettings } from './settings.ts'

export default plugin({
  name: 'mount',
  api: '^1',
  status: 'experimental',
  about: 'Content, names and the mutable tree as folders of this machine, by FUSE.',
  nodeKeys: { atOnce: ['Mounts.IPFS', 'Mounts.IPNS', 'Mounts.MFS', 'Mounts.FuseAllowOther'] },
  settings: mountSettings,
  internal: [
    service(Mounts, {
      needs: {
        paths: PathResolver,
        unixfs: UnixFs,
        mfs: optional(Mfs),
        trees: optional(MfsTrees),
        keys: optional(Keys),
        names: optional(Names),
        datastore: Datastore,
        settings: MountSettings,
        log: Log
      },
      make: s => new MountService(s)
    })
  ],
  commands: [mount],
  errors: mountErrors
})
