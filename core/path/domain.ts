import { domainToASCII } from 'node:url'

const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/
const MAX_BYTES = 253

/**
 * A domain in the one form in which it is looked up and compared: ASCII, small letters, no dot at its end. Name servers read `exa\109ple` as
 * `example`, so whatever is no host name has no such form.
 *
 * @returns undefined for what is no host name
 */
export function domainName(text: string): string | undefined {
  const ascii = isAscii(text) ? text : domainToASCII(text)
  const name = ascii.toLowerCase().replace(/\.$/, '')
  return name.length <= MAX_BYTES && HOST_NAME.test(name) ? name : undefined
}

/** `domainToASCII` makes addresses of numbers, and decodes `%`: only other letters need it. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}
