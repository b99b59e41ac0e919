import type { McpLimits } from './settings.ts'

/** Bytes of a message beside its files. */
const REST = 1_048_576

/** The longest message of a client, in bytes: its files in base64, and what stands around them. */
export function mostOfMessage({ inputBytes }: Pick<McpLimits, 'inputBytes'>): number {
  return Math.ceil(inputBytes / 3) * 4 + REST
}
