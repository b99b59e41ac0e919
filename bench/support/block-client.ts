import net, { type Socket } from 'node:net'

const BOUNDARY = 'b'
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="data"; filename="f"\r\n\r\n`
const END = `\r\n--${BOUNDARY}--\r\n`
/** Bytes of an answer's text that are looked at. */
const LONGEST_TEXT = 1024
const READ_AT_ONCE = 256 * 1024

/**
 * A client of `block/put` and `block/get` that takes as little of the processor as can be, since what it takes is missing to the server on a
 * machine of two: connections are kept, a block is sent from memory that is there already, and of an answer is read where it ends. Node's own
 * client takes as long for a block of 256 KiB as a server does.
 */
export class BlockClient {
  readonly #port: number
  readonly #idle: Connection[] = []

  constructor(port: number) {
    this.#port = port
  }

  /**
   * Stores a block that is `noise`, but for its first four bytes.
   *
   * @param serial - these four: no two blocks may have the same
   * @returns its CID, or what else the server calls it
   */
  async put(noise: Buffer, serial: number): Promise<string> {
    const connection = this.#idle.pop() ?? new Connection(this.#port)
    const { text } = await connection.put(noise, serial)
    this.#idle.push(connection)
    return (JSON.parse(text) as { Key: string }).Key
  }

  /** Reads a block of `size` bytes and drops it. */
  async get(key: string, size: number): Promise<void> {
    const connection = this.#idle.pop() ?? new Connection(this.#port)
    const answer = await connection.get(key)
    this.#idle.push(connection)
    if (answer.size !== size) throw new Error(`${key} has ${answer.size} bytes`)
  }

  close(): void {
    for (const connection of this.#idle) connection.close()
  }
}

/** A connection that has one request under way at a time. */
class Connection {
  readonly #host: string
  readonly #socket: Socket
  /** The last put, of which the next sends another serial. */
  #put = { size: 0, request: Buffer.alloc(0), at: 0 }
  #answer = new Answer()
  #waiting: PromiseWithResolvers<Answer> | undefined

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`
    const onread = {
      buffer: Buffer.alloc(READ_AT_ONCE),
      callback: (length: number, bytes: Uint8Array) => this.#read(length, bytes as Buffer)
    }
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread })
    this.#socket.on('error', error => this.#waiting?.reject(error))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the connection was closed')))
  }

  put(noise: Buffer, serial: number): Promise<Answer> {
    if (this.#put.size !== noise.length) {
      const type = `Content-Type: multipart/form-data; boundary=${BOUNDARY}\r\n`
      const head = Buffer.from(this.#head('block/put', PART.length + noise.length + END.length, type) + PART)
      this.#put = { size: noise.length, request: Buffer.concat([head, noise, Buffer.from(END)]), at: head.length }
    }
    const { request, at } = this.#put
    request.writeUInt32LE(serial, at)
    return this.#ask(request)
  }

  get(key: string): Promise<Answer> {
    return this.#ask(this.#head(`block/get?arg=${key}`, 0))
  }

  #head(path: string, length: number, type = ''): string {
    return `POST /api/v0/${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${type}Content-Length: ${length}\r\n\r\n`
  }

  #ask(request: string | Buffer): Promise<Answer> {
    this.#answer = new Answer()
    if (this.#socket.destroyed) throw new Error('the server closed the connection while it was idle')
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request as string, 'latin1')
    return this.#waiting.promise
  }

  close(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #read(length: number, bytes: Buffer): boolean {
    try {
      if (this.#answer.take(bytes.subarray(0, length))) this.#waiting?.resolve(this.#answer)
    } catch (error) {
      this.#waiting?.reject(error)
    }
    return true
  }
}

/** An answer as it comes in. */
class Answer {
  /** Bytes of its body, and the first of them as text. */
  size = 0
  text = ''
  /** Bytes of the body, or of one chunk of it, that are still to come. */
  #left = 0
  #line = ''
  #next: 'head' | 'body' | 'size' | 'trailer' = 'head'

  /** @returns whether this was its end @throws where it is another answer than 200 */
  take(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left > 0) {
        const end = Math.min(at + this.#left, bytes.length)
        if (this.size < LONGEST_TEXT) this.text += bytes.toString('latin1', at, end)
        this.size += end - at
        this.#left -= end - at
        at = end
        if (this.#left === 0 && this.#next === 'body') return true
        continue
      }
      const mark = this.#next === 'head' ? '\r\n\r\n' : '\r\n'
      const from = this.#line.length
      this.#line += bytes.toString('latin1', at)
      const end = this.#line.indexOf(mark, Math.max(0, from - mark.length))
      if (end < 0) return false
      at += end + mark.length - from
      const line = this.#line.slice(0, end)
      this.#line = ''
      if (this.#isEnd(line)) return true
    }
    return false
  }

  #isEnd(line: string): boolean {
    if (this.#next === 'head') {
      if (!line.startsWith('HTTP/1.1 200')) throw new Error(line)
      const length = /^content-length: (\d+)/im.exec(line)?.[1]
      this.#next = length === undefined ? 'size' : 'body'
      this.#left = Number(length ?? 0)
      return length === '0'
    }
    if (this.#next === 'trailer') return line === ''
    // an empty line is the end of a chunk
    if (line === '') return false
    this.#left = Number.parseInt(line, 16)
    if (this.#left === 0) this.#next = 'trailer'
    return false
  }
}
