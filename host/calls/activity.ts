import {
  type ActiveCall,
  type Activity,
  type Caller,
  type CallerWords,
  type Command,
  globalOptions,
  type Parameters,
  wireName
} from '../../core/index.ts'

/** The entry of one call in the list. */
export interface CallRecord {
  readonly id: number
  readonly command: Command
  readonly start: number
  callerWords: CallerWords
  caller: Caller
  /** 0 while it runs. */
  end: number
}

/** The list is looked through whenever a call ends and it is this many long, or a multiple (go-ipfs-cmds, commands/reqlog.go). */
const EVERY = 10

/** How much of the words of a finished call is kept, and of each text among its options. */
const MOST_WORDS = 64
const MOST_LENGTH = 1024

/** The activity of one host. A call costs it one object and two looks at the clock. */
export class ActivityList implements Activity {
  readonly #most: number
  #records: CallRecord[] = []
  #next = 0
  #finished = 0
  #sincePurge = 0
  #keep = 0

  /** @param most - finished calls that are kept, however long {@link keepFor} says */
  constructor(most: number) {
    this.#most = most
  }

  begin(command: Command, callerWords: CallerWords, caller: Caller): CallRecord {
    const record: CallRecord = { id: this.#next++, command, start: Date.now(), callerWords, caller, end: 0 }
    this.#records.push(record)
    return record
  }

  finish(record: CallRecord): void {
    record.end = Date.now()
    this.#finished++
    // what the caller said may hold on to more, such as the body it came from
    record.callerWords = { words: shortened(record.callerWords.words), options: record.callerWords.options }
    this.#sincePurge++
    const { length } = this.#records
    // of a long list that is kept, only after so many calls that looking through it costs each of them little
    const due = length % EVERY === 0 && this.#sincePurge * EVERY >= length
    if (due || this.#finished >= this.#most + Math.max(EVERY, this.#most >> 3)) this.#purge(this.#keep)
  }

  list(): readonly ActiveCall[] {
    if (this.#finished > this.#most) this.#purge(Number.POSITIVE_INFINITY)
    return this.#records.map(({ id, command, start, callerWords, caller, end }) => ({
      id,
      command: command.path,
      args: positions(command, callerWords.words),
      options: named(command, callerWords.options),
      caller,
      start: new Date(start),
      end: end === 0 ? undefined : new Date(end)
    }))
  }

  clear(): void {
    this.#purge(0)
  }

  keepFor(milliseconds: number): void {
    this.#keep = milliseconds
  }

  #purge(keep: number): void {
    const now = Date.now()
    let surplus = this.#finished - this.#most
    this.#records = this.#records.filter(({ end }) => end === 0 || (surplus-- <= 0 && end + keep > now))
    this.#finished = 0
    this.#sincePurge = 0
    for (const record of this.#records) {
      if (record.end === 0) continue
      this.#finished++
      settle(record)
    }
  }
}

/** Lets go of what a finished call holds on to: its caller's connection, and long texts among its options. */
function settle(record: CallRecord): void {
  if (Object.isFrozen(record.caller)) return
  const { transport, address, userAgent, grant } = record.caller
  record.caller = Object.freeze({ transport, address, userAgent: userAgent && shortenedWord(userAgent), grant })
  const options = Object.entries(record.callerWords.options).map(([key, value]) => [key, shortenedValue(value)])
  record.callerWords = { words: record.callerWords.words, options: Object.fromEntries(options) }
}

const shortenedWord = (word: string) => (word.length > MOST_LENGTH ? `${word.slice(0, MOST_LENGTH)}…` : word)

function shortened(words: readonly string[]): readonly string[] {
  if (words.length <= MOST_WORDS && words.every(word => word.length <= MOST_LENGTH)) return words
  const first = words.slice(0, MOST_WORDS).map(shortenedWord)
  return words.length > MOST_WORDS ? [...first, `… and ${words.length - MOST_WORDS} more`] : first
}

function shortenedValue(value: unknown): unknown {
  if (typeof value === 'string') return shortenedWord(value)
  return Array.isArray(value) && value.every(item => typeof item === 'string') ? shortened(value) : value
}

/** The stars in the place of a value that is told to nobody. */
const HIDDEN = '***'

/** The reference keeps a place for each word that no argument takes, but leaves it empty. */
function positions({ args }: Command, words: readonly string[]): readonly string[] {
  const specs = Object.values(args)
  const takesAll = specs.at(-1)?.spec.many === true
  return words.map((word, i) => {
    const of = specs[i] ?? (takesAll ? specs.at(-1) : undefined)
    if (of === undefined) return ''
    return of.spec.secret ? HIDDEN : word
  })
}

function named({ options: declared }: Command, options: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
  const spelt = entries.map(([key, value]) => [wire(key, declared), declared[key]?.spec.secret ? HIDDEN : value] as const)
  return Object.fromEntries(spelt.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function wire(key: string, declared: Command['options']): string {
  const parameter = ({ ...globalOptions, ...declared } as Parameters)[key]
  return parameter === undefined ? key : wireName(key, parameter.spec)
}
