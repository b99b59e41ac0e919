import { defineErrors } from '../../core/index.ts'

/** Errors of the commands of objects alone. Texts: Kubo 0.28, core/commands/object with boxo 0.19, ipld/merkledag; of E_OBJECT_BASE_… Kubo 0.42. */
export const objectErrors = defineErrors({
  E_OBJECT_LINK: { message: () => 'no link by that name' },
  E_OBJECT_LINK_NAME: { message: () => 'cannot create link with no name' },
  E_OBJECT_BASE_TYPE: {
    message: (refusal: string, type: string, what: string) =>
      `cannot ${refusal} a UnixFS ${type} node, only Directory nodes support link ${what} at the dag-pb level (see https://specs.ipfs.tech/unixfs/)`
  },
  E_OBJECT_BASE_SHARD: {
    message: (refusal: string, instead: string) =>
      `cannot ${refusal} a HAMTShard at the dag-pb level (would corrupt the HAMT bitfield); use ${instead} instead, or pass --allow-non-unixfs to override`
  },
  E_OBJECT_BASE_FOREIGN: {
    message: (refusal: string) => `cannot ${refusal} a non-UnixFS dag-pb node; pass --allow-non-unixfs to skip validation`
  },
  E_OBJECT_DIFFERENCES: {
    message: (most: number) =>
      `object/diff: comparing these takes more than ${most} pairs of objects, the most that one call compares (plugins.object.maxCompared)`
  },
  E_OBJECT_DEPTH: {
    message: (most: number) => `the path has more than ${most} names, the most that one call follows (plugins.object.maxDepth)`
  }
})
