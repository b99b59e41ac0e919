import { defineErrors } from '../../core/index.ts'

/** What only the commands of objects complain about. Texts: Kubo 0.28, core/commands/object with boxo 0.19, ipld/merkledag. */
export const objectErrors = defineErrors({
  E_OBJECT_LINK: { message: () => 'no link by that name' },
  E_OBJECT_LINK_NAME: { message: () => 'cannot create link with no name' },
  E_OBJECT_DIFFERENCES: {
    message: (most: number) =>
      `object/diff: comparing these takes more than ${most} pairs of objects, the most that one call compares (plugins.object.maxCompared)`
  },
  E_OBJECT_DEPTH: {
    message: (most: number) => `the path has more than ${most} names, the most that one call follows (plugins.object.maxDepth)`
  }
})
