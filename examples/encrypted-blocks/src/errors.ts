import { defineErrors } from 'holdfast'

export const errors = defineErrors({
  E_KEY_MISSING: {
    message: (file: string) =>
      `encrypted-blocks: there is no key at ${file}: make one with 'head -c 32 /dev/urandom | base64 > ${file}', and keep a copy where the blocks are not`
  },
  E_KEY_FORM: { message: (file: string) => `encrypted-blocks: ${file} holds no key: 32 bytes in base64 are needed` },
  E_NO_FOLDER: { message: () => "encrypted-blocks: this node has no repo folder: set 'keyFile' to an absolute path" },
  E_FORMER_FOLDER: {
    message: (folder: string) =>
      `encrypted-blocks: ${folder} holds blocks of an earlier version of this plugin, which this one does not read: export them with that version (holdfast dag export) and import them here, or move the folder away`
  },
  E_BLOCK_UNREADABLE: {
    message: (multihash: string) =>
      `encrypted-blocks: the block of the multihash ${multihash} was changed or cut short: it does not decrypt`
  }
})
