import { defineErrors } from '../../core/index.ts'

/** What only the content commands complain about. Texts: Kubo 0.28, core/commands. */
export const contentErrors = defineErrors({
  E_OFFSET_NEGATIVE: { message: () => 'cannot specify negative offset' },
  E_LENGTH_NEGATIVE: { message: () => 'cannot specify negative length' },
  E_COMPRESSION_LEVEL: { message: () => 'compression level must be between 1 and 9' },
  E_NOT_REGULAR: { message: () => 'file is not regular' },
  E_REFS_FORMAT: { message: () => 'using format argument with edges is not allowed' },
  E_REFS: { message: (why: string) => why },
  E_DHT_TIMEOUT: { message: () => 'DHT timeout value must be >= 0' }
})
