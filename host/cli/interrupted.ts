/** The end that was asked for, and the exit status that tells so. */
export class Interrupted extends Error {
  readonly status: number

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGPIPE') {
    super(`ended by ${signal}`)
    this.status = 128 + { SIGHUP: 1, SIGINT: 2, SIGPIPE: 13, SIGTERM: 15 }[signal]
  }
}
