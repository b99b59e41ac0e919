import { trimRight } from '../go/trim.ts'
import { goMode } from './go-mode.ts'
import { type Mtime, ZERO_TIME } from './metadata.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const SECONDS_OF_DAY = 86_400n
/** Days of 400 years of the calendar, and from 1 March of the year 0 to 1 January 1970. */
const DAYS_OF_ERA = 146_097n
const DAYS_TO_1970 = 719_468n
const RIGHTS = 'rwxrwxrwx'

/** A moment as a calendar has it, in UTC. `Date` ends at the year 275760, and UnixFS does not. */
interface Moment {
  readonly year: bigint
  /** `Jan` … `Dec`. */
  readonly month: string
  readonly monthNumber: string
  readonly day: string
  /** `hh:mm:ss`. */
  readonly clock: string
}

/** The moment of so many seconds since 1970. */
export function momentOf(seconds: bigint): Moment {
  const secondOfDay = ((seconds % SECONDS_OF_DAY) + SECONDS_OF_DAY) % SECONDS_OF_DAY
  const days = (seconds - secondOfDay) / SECONDS_OF_DAY + DAYS_TO_1970
  const inEra = ((days % DAYS_OF_ERA) + DAYS_OF_ERA) % DAYS_OF_ERA
  const era = (days - inEra) / DAYS_OF_ERA
  // of eras of 400 years, each of which begins in March, so that a leap day is its last
  const yearOfEra = (inEra - inEra / 1460n + inEra / 36_524n - inEra / 146_096n) / 365n
  const dayOfYear = inEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n)
  const fromMarch = (5n * dayOfYear + 2n) / 153n
  const month = Number(fromMarch < 10n ? fromMarch + 3n : fromMarch - 9n)
  const [hours, minutes] = [secondOfDay / 3600n, (secondOfDay / 60n) % 60n]
  return {
    year: yearOfEra + era * 400n + (month <= 2 ? 1n : 0n),
    month: MONTHS[month - 1]!,
    monthNumber: two(month),
    day: two(dayOfYear - (153n * fromMarch + 2n) / 5n + 1n),
    clock: [hours, minutes, secondOfDay % 60n].map(two).join(':')
  }
}

/** @param number - from 1 */
export function monthName(number: number): string {
  return MONTHS[number - 1] ?? ''
}

function two(value: number | bigint): string {
  return String(value).padStart(2, '0')
}

/** A time as JSON has Go's (RFC 3339, nanoseconds without zeros at their end); year 1 for none. */
export function timeJson({ seconds, nanoseconds }: Mtime = { seconds: ZERO_TIME, nanoseconds: 0 }): string {
  const { year, monthNumber, day, clock } = momentOf(seconds)
  const fraction = nanoseconds === 0 ? '' : `.${trimRight(String(nanoseconds).padStart(9, '0'), '0')}`
  return `${String(year).padStart(4, '0')}-${monthNumber}-${day}T${clock}${fraction}Z`
}

/** Permissions as Go prints a file mode: `-rw-r--r--`, `drwx------`, `Lrwxrwxrwx`. (Go, io/fs) */
export function modeText(mode: number, type: Parameters<typeof goMode>[1]): string {
  const go = goMode(mode, type)
  const letters = [
    [0x8000_0000, 'd'],
    [0x0800_0000, 'L'],
    [0x0080_0000, 'u'],
    [0x0040_0000, 'g'],
    [0x0010_0000, 't']
  ] as const
  const kind = letters.map(([bit, letter]) => ((go & bit) === 0 ? '' : letter)).join('')
  const rights = Array.from(RIGHTS, (letter, i) => (go & (1 << (8 - i)) ? letter : '-')).join('')
  return (kind || '-') + rights
}
