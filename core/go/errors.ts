import { defineErrors } from '../errors.ts'

/** Complaints of Go's parsers, as they appear inside messages. What is about text gets it quoted already. */
export const goErrors = defineErrors({
  E_DURATION_INVALID: { message: (text: string) => `time: invalid duration ${text}` },
  E_DURATION_NO_UNIT: { message: (text: string) => `time: missing unit in duration ${text}` },
  E_DURATION_UNIT: { message: (unit: string, text: string) => `time: unknown unit ${unit} in duration ${text}` },
  E_NUMBER_SYNTAX: { message: (parser: string, text: string) => `strconv.${parser}: parsing ${text}: invalid syntax` },
  E_NUMBER_RANGE: { message: (parser: string, text: string) => `strconv.${parser}: parsing ${text}: value out of range` },
  E_SIZE_UNIT: { message: (unit: string) => `unhandled size name: ${unit}` },
  E_SIZE_TOO_LARGE: { message: (text: string) => `too large: ${text}` },
  E_TIME: { message: (text: string, why: string) => `parsing time ${text}${why}` },
  E_URL_ESCAPE: { message: (text: string) => `invalid URL escape ${text}` }
})
