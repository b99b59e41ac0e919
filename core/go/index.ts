/**
 * Texts as Go writes and reads them, where answers have to be the reference's to the byte.
 *
 * @packageDocumentation
 */
export { formatBytes, parseBytes } from './bytes.ts'
export { formatDuration, parseDuration } from './duration.ts'
export { type ExactNumber, goJson, goJsonIndented, isExactNumber, parseJsonExactly, plainNumbers, rfc3339 } from './json.ts'
export { endOfJson, type JsonPlace, JsonTextError, type JsonTextOptions, placeOfKey, placeText } from './json-text.ts'
export { GO_LEVELS, goLogLevel } from './log-level.ts'
export { formatFloat32, parseInteger } from './number.ts'
export { cleanPath } from './path.ts'
export { goPlatform } from './platform.ts'
export { printed } from './printed.ts'
export { brokenEscapeAt, percentDecoded, searchParams } from './query.ts'
export { goQuote, isPrintable } from './quote.ts'
export { trimRight } from './trim.ts'
export { byteString, compareUtf8, decodeUtf8, encodeUtf8, fromByteString, withoutMark } from './utf8.ts'
