/** Finds where the chunks of one file end. */
export interface Cutter {
  /** No chunk is longer, in bytes. */
  readonly most: number
  /** A new chunk starts. */
  begin(): void
  /**
   * Looks at what has come since the last call.
   *
   * @param bytes - the chunk from its start
   * @param from - bytes that were there at the last call
   * @param to - bytes that are there now
   * @returns where the chunk ends, or -1 when it may go on
   */
  end(bytes: Uint8Array, from: number, to: number): number
}

/** Chunks of one size. */
export class FixedCutter implements Cutter {
  readonly most: number

  constructor(size: number) {
    this.most = size
  }

  begin(): void {}

  end(): number {
    return -1
  }
}
