/** The part of `ws` that dials and listeners need; the package has no types of its own. */
declare module 'ws' {
  export class WebSocket extends EventTarget {
    constructor(uri: string, options?: { readonly perMessageDeflate?: boolean; readonly maxPayload?: number })
    binaryType: 'arraybuffer' | 'nodebuffer'
    on(type: 'error', listener: (error: Error) => void): this
    pause(): void
    resume(): void
    terminate(): void
  }
}
