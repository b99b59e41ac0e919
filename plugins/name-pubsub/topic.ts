/** The topic of the records under a key, `/ipns/` and the multihash of a name (go-libp2p-pubsub-router 0.6, pubsub.go). */
export function topicOf(key: Uint8Array): string {
  return `/record/${Buffer.from(key).toString('base64url')}`
}
