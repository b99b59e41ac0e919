import { type Counter, type Logger, type Metrics, type Startable, type Token, token } from 'holdfast'

/** Greets people. */
export interface Greetings {
  greet(name: string): string
}
export const Greetings: Token<Greetings> = token<Greetings>('starter-greetings')

/** The settings of greetings. */
export interface GreetingParts {
  readonly greeting: string
  readonly log: Logger
  readonly metrics: Metrics
}

export class FriendlyGreetings implements Greetings, Startable {
  readonly #greeting: string
  readonly #log: Logger
  readonly #count: Counter

  constructor({ greeting, log, metrics }: GreetingParts) {
    this.#greeting = greeting
    this.#log = log
    this.#count = metrics.counter({ name: 'greetings_total', help: 'People who were greeted.' })
  }

  start(): void {
    this.#log.info('ready to greet')
  }

  greet(name: string): string {
    this.#count.inc()
    return `${this.#greeting}, ${name}`
  }

  stop(): void {
    this.#log.info('no more greetings')
  }
}
