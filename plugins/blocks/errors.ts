import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/block.go, core/coreiface/options/block.go, and blocks/blockstoreutil; the last two are our own. */
export const blockCommandErrors = defineErrors({
  E_MULTIHASH_NAME: { message: (name: string) => `unrecognized multihash function: ${name}` },
  E_FORMAT_AND_CODEC: { message: () => 'unable to use "format" (deprecated) and a custom "cid-codec" at the same time' },
  E_CID_V0_HASH: { message: () => 'only sha2-255-32 is allowed with CIDv0' },
  E_BLOCK_FILE_EXPECTED: { message: () => 'expected a file' },
  E_PIN_CHECK: { message: (why: string) => `pin check failed: ${why}` },
  E_PINS_UNSEEN: { message: () => "the plugin 'pins' is not loaded on this node" },
  E_BLOCK_TOO_LONG: {
    message: (most: number) => `block/put: a block has more than ${most} bytes, the most that this node takes (plugins.blocks.maxBlockSize)`
  }
})
