/** The command that reads resources. */
export const READER = 'cat'

/** The resource templates of a node: the content of files by CID, which can be read in parts. */
export const RESOURCE_TEMPLATE = 'ipfs://{cid}{/path*}{?offset,length}'

/** A part of a file, as the command that reads it is told. */
interface Read {
  readonly path: string
  readonly options: ReadonlyArray<readonly [name: string, text: string]>
}

/** The name of an answer's octets: that of a file, where one was read whole; else that of the call. */
export function uriOf(command: string, words: readonly string[]): string {
  const [first = ''] = words
  const content = first.startsWith('/ipfs/') ? first.slice('/ipfs/'.length) : first
  if (command === READER && words.length === 1 && !content.startsWith('/')) return `ipfs://${encodePath(content)}`
  return `holdfast:${command}${words.length === 0 ? '' : `?${words.map(word => `arg=${encodeURIComponent(word)}`).join('&')}`}`
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

/** The CID and range of a resource's URI; undefined for one that is none of a node's. */
export function readOf(uri: string): Read | undefined {
  const url = URL.parse(uri)
  if (url?.protocol !== 'ipfs:' || url.host === '') return undefined
  const names = [...url.searchParams.keys()]
  if (!names.every(name => name === 'offset' || name === 'length') || new Set(names).size < names.length) return undefined
  try {
    return { path: `/ipfs/${url.host}${decodeURIComponent(url.pathname)}`, options: [...url.searchParams] }
  } catch {
    return undefined
  }
}
