import type { Codec, Encoder } from '../../services/content/dag.ts'
import { dagErrors } from '../errors.ts'

/** The codecs of one host, by code and by name. */
export class Codecs implements Iterable<Codec> {
  readonly #byCode = new Map<number, Codec>()
  readonly #byName = new Map<string, Codec>()

  constructor(codecs: Iterable<Codec> = []) {
    for (const codec of codecs) this.add(codec)
  }

  /** @throws E_CODEC_TAKEN */
  add(codec: Codec): void {
    if (this.#byCode.has(codec.code) || this.#byName.has(codec.name)) throw dagErrors.E_CODEC_TAKEN(codec.name, codec.code)
    this.#byCode.set(codec.code, codec)
    this.#byName.set(codec.name, codec)
  }

  byCode(code: number): Codec | undefined {
    return this.#byCode.get(code)
  }

  byName(name: string): Codec | undefined {
    return this.#byName.get(name)
  }

  /** @throws E_NO_DECODER */
  decoder(code: number): Codec {
    const codec = this.#byCode.get(code)
    if (codec === undefined) throw dagErrors.E_NO_DECODER(code)
    return codec
  }

  /** @throws E_NO_ENCODER */
  encoder(code: number): Encoder {
    const codec = this.#byCode.get(code)
    if (codec?.encode === undefined) throw dagErrors.E_NO_ENCODER(code)
    return codec as Encoder
  }

  /**
   * The codec that reads a stored block.
   *
   * @throws E_DECODER_CHOICE
   */
  reader(code: number): Codec {
    const codec = this.#byCode.get(code)
    if (codec === undefined || codec.inputOnly) throw dagErrors.E_DECODER_CHOICE(dagErrors.E_NO_DECODER(code).message)
    return codec
  }

  [Symbol.iterator](): IterableIterator<Codec> {
    return this.#byCode.values()
  }
}
