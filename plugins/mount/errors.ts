import { defineErrors } from '../../core/index.ts'

export const mountErrors = defineErrors({
  E_MOUNT_SYSTEM: { message: (platform: string) => `mounting needs FUSE of Linux, and this is ${platform}` },
  E_MOUNT_DEVICE: { message: (device: string, why: string) => `mounting needs FUSE, and ${device} cannot be opened: ${why}` },
  E_MOUNT_POINT: { message: (folder: string, why: string) => `fuse failed to access mountpoint ${folder}: ${why}` },
  E_MOUNT_FAILED: { message: (folder: string, why: string) => `cannot mount on ${folder}: ${why}` },
  E_MOUNT_SAME: { wire: 'client', message: (folder: string) => `two mounts cannot both be on ${folder}` },
  E_MOUNT_NO_TREE: { message: (folder: string) => `nothing can be mounted on ${folder}: the plugin of the mutable tree is off` }
})
