/** The part of `ws` that dials need; the package has no types of its own. */
declare module 'ws' {
  export class WebSocket extends EventTarget {
    constructor(uri: string, options?: { readonly perMessageDeflate?: boolean })
    binaryType: 'arraybuffer' | 'nodebuffer'
    pause(): void
    resume(): void
    terminate(): void
  }
}
