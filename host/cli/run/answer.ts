/** The answer of a node: objects one after the other, or octets. Reading it to its end means that it is whole; one that broke off throws. */
export type Answer =
  | { readonly kind: 'items'; readonly items: AsyncIterable<unknown> }
  | { readonly kind: 'bytes'; readonly bytes: AsyncIterable<Uint8Array>; readonly length?: number | undefined }

/** `items`: as objects; else the octets of that encoding. */
export type Wanted = 'items' | 'json' | 'xml' | 'text' | 'textnl'
