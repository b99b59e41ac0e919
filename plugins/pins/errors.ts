import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/pin and boxo 0.19, pinning/pinner/dspinner. */
export const pinErrors = defineErrors({
  E_NOT_PINNED: { message: () => 'not pinned or pinned indirectly' },
  E_PATH_NOT_PINNED: { message: (path: string) => `path '${path}' is not pinned` },
  E_PIN_RECURSIVE: { message: (cid: string) => `${cid} already pinned recursively` },
  E_PIN_IS_RECURSIVE: { message: (cid: string) => `${cid} is pinned recursively` },
  E_PIN_FROM: { message: () => "'from' cid was not recursively pinned already" },
  E_PIN_TO: { message: () => "'to' cid was already recursively pinned" },
  E_PIN_TYPE: { message: (type: string) => `invalid type '${type}', must be one of {direct, indirect, recursive, all}` },
  E_VERIFY_OPTIONS: { message: () => 'the --verbose and --quiet options can not be used at the same time' },
  /** The store was written by a newer version. */
  E_PINS_FORMAT: { message: (format: number, known: number) => `pins are stored in format ${format}; this version knows ${known}` }
})
