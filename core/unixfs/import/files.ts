import { type Chunker, parseChunker } from '../chunker/index.ts'
import { type Built, type NamingOptions, NodeBuilder } from './builder.ts'
import { importFile } from './file.ts'
import { LeafPool } from './memory.ts'
import { BlockWriter, type ImportStore } from './writer.ts'

export interface FileImportOptions extends NamingOptions {
  /** The chunker as `add` takes it. */
  readonly chunker: string
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  readonly signal?: AbortSignal
}

/** Makes files one after the other, without folders around them. */
export class FileImporter {
  readonly #options: FileImportOptions
  readonly #writer: BlockWriter
  readonly #nodes: NodeBuilder
  readonly #chunker: Chunker
  readonly #memory = new LeafPool()

  /** @throws E_CHUNKER_… and its kin */
  constructor(store: ImportStore, options: FileImportOptions) {
    this.#options = options
    this.#chunker = parseChunker(options.chunker)
    this.#writer = new BlockWriter(store, options.signal)
    this.#nodes = new NodeBuilder(options, this.#writer)
  }

  /** The file that these bytes make. Some of its blocks may still be on their way to the store. */
  async add(bytes: AsyncIterable<Uint8Array>): Promise<Built> {
    const file = importFile(bytes, { ...this.#options, chunker: this.#chunker }, this.#nodes, this.#memory)
    try {
      for (;;) {
        const { done, value } = await file.next()
        if (done) return value
      }
    } finally {
      await file.return(undefined as never)
    }
  }

  /** Resolves when every block is stored. @throws what the store does */
  settled(): Promise<void> {
    return this.#writer.settled()
  }
}
