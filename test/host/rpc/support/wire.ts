import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'

/** A connection that says exactly what a test says, and keeps exactly what comes back. */
export class Wire {
  readonly socket: Socket
  seen = ''
  /** How much has come in all. */
  size = 0
  closed = false
  #wake: () => void = () => {}

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.seen += text
      this.size += text.length
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.#wake()
    })
  }

  /** @param from - the address that it comes from, another one of the loopback */
  static async to(port: number, from?: string): Promise<Wire> {
    const socket = createConnection({ host: '127.0.0.1', port, localAddress: from })
    await once(socket, 'connect')
    return new Wire(socket)
  }

  say(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'), 'latin1')
  }

  /** A request with these lines, its blank line and its body. */
  ask(line: string, fields: readonly string[] = [], body = ''): void {
    this.say(line, 'Host: 127.0.0.1', ...fields, '', body)
  }

  /** What has been seen once it matches. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.seen)) {
      if (this.closed) throw new Error(`closed before ${pattern}: ${JSON.stringify(this.seen)}`)
      await this.more()
    }
    return this.seen
  }

  /** Settles when something has come, or the connection has closed. */
  more(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  /** All that was seen, once the other side has closed. */
  async end(): Promise<string> {
    while (!this.closed) await this.more()
    return this.seen
  }

  /** Forgets what was seen. */
  clear(): void {
    this.seen = ''
  }

  leave(): void {
    this.socket.destroy()
  }
}

/** Header fields of one answer by lower-case name. */
export function fieldsOf(answer: string): Record<string, string> {
  const head = answer.slice(0, answer.indexOf('\r\n\r\n')).split('\r\n').slice(1)
  return Object.fromEntries(head.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]))
}

export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4)
}

/** The data of a chunked body. */
export function dechunked(body: string): string {
  let data = ''
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, line), 16)
    if (!(size > 0)) return data
    data += body.slice(line + 2, line + 2 + size)
    at = line + 4 + size
  }
}
