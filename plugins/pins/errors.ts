import { defineErrors, ERROR_DETAIL } from '../../core/index.ts'

/** The advice where blocks are missing that say what is kept. */
const GET_BACK =
  'nothing was removed, as below what is missing there may be anything. Get it back (block put, dag import, a peer that has it), or remove what refers to it (pin verify names pins; pin rm, files rm)'

/** What to do, beside a text that is the reference's. */
function advised(advice: string | undefined) {
  return advice === undefined ? {} : { headers: { [ERROR_DETAIL]: advice } }
}

/** Texts: Kubo 0.28, core/commands/pin, core/commands/repo.go, gc/gc.go, and boxo 0.19, pinning/pinner/dspinner. */
export const pinErrors = defineErrors({
  E_NOT_PINNED: { message: () => 'not pinned or pinned indirectly' },
  E_PATH_NOT_PINNED: { message: (path: string) => `path '${path}' is not pinned` },
  E_PIN_RECURSIVE: { message: (cid: string) => `${cid} already pinned recursively` },
  E_PIN_IS_RECURSIVE: { message: (cid: string) => `${cid} is pinned recursively` },
  E_PIN_FROM: { message: () => "'from' cid was not recursively pinned already" },
  E_PIN_TO: { message: () => "'to' cid was already recursively pinned" },
  E_PIN_LOST: { message: (cid: string) => `the disk lost the block ${cid}, which the pin would keep: add it again` },
  E_PIN_NAME_LONG: { message: (size: number, most: number) => `pin name is ${size} bytes (max ${most} bytes)` },
  E_PIN_NAME_TEXT: { message: () => 'pin name is no UTF-8' },
  E_PIN_TYPE: { message: (type: string) => `invalid type '${type}', must be one of {direct, indirect, recursive, all}` },
  E_VERIFY_OPTIONS: { message: () => 'the --verbose and --quiet options can not be used at the same time' },
  E_NO_LINKS: { message: (cid: string, why: string) => `could not retrieve links for ${cid}: ${why}` },
  E_COLLECTION_ABORTED: {
    message: (sources: readonly string[]) => {
      const others = sources.filter(source => source !== 'pins')
      return `garbage collection aborted: could not retrieve some links${others.length === 0 ? '' : ` of what '${others.join("', '")}' keeps`}`
    },
    http: () => advised(GET_BACK)
  },
  E_COLLECTION_UNSURE: {
    message: (since: string) =>
      `nothing is collected, as pins may have been lost when the database was salvaged on ${since}: pin again what is to be kept, ` +
      `stop the node, and run 'holdfast repo salvage --complete'`
  },
  E_KEEPER_ABSENT: {
    message: (name: string, why: string) =>
      `nothing is collected, as '${name}' keeps content in this repo and cannot be asked for it: ${why}. Switch it on again, or give up ` +
      `what it keeps: holdfast repo gc --forget=${name}`
  },
  E_KEEPER_KNOWN: { message: (name: string) => `'${name}' keeps nothing here that would be missed: there is nothing to forget` },
  E_KEEPER_LEFT: { message: (name: string) => `nothing was removed, as '${name}' was stopped, which keeps content: collect again` },
  E_NOT_REMOVED: { message: (cid: string, why: string) => `could not remove ${cid}: ${why}` },
  E_COLLECTION_INCOMPLETE: { message: () => 'garbage collection incomplete: could not delete some blocks' },
  /** The texts of several errors, and how many more there were. */
  E_COLLECTION: {
    message: (messages: readonly string[], more: number, _advice?: string) =>
      [...messages, ...(more > 0 ? [`${more} more errors`] : [])].join('; '),
    http: (_messages: readonly string[], _more: number, advice?: string) => advised(advice)
  },
  E_COLLECTION_ERRORS: { message: () => 'encountered errors during gc run' },
  E_GC_SETTING: { message: (key: string, value: string, why: string) => `Datastore.${key} of the node configuration, ${value}: ${why}` },
  /** The store was written by a newer version. */
  E_PINS_FORMAT: { message: (format: number, known: number) => `pins are stored in format ${format}; this version knows ${known}` }
})
