import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { UnixFsType } from '../../../core/unixfs/index.ts'
import { typeByName } from '../types/names.ts'

/** What an entry of a folder is, as far as its icon tells: `node` where its block would have to be fetched for that. */
export type Kind = 'folder' | 'link' | 'image' | 'video' | 'audio' | 'text' | 'code' | 'archive' | 'file' | 'data' | 'node'

const CODE = /^(text\/(css|html|javascript|xml)|application\/(json|ld\+json|manifest\+json|xhtml\+xml|yaml|wasm))/
const ARCHIVE = /^application\/(gzip|java-archive|vnd\.ipld\.car|x-7z|x-bzip2|x-tar|x-xz|zip|zstd)/
const TEXT = /^(text\/|application\/(epub|msword|pdf|rtf|vnd\.(oasis|openxml|ms-)))/
const STREAM = /^application\/(vnd\.apple\.mpegurl|dash\+xml)/

/** The kind of an entry. @param type - of its UnixFS node, where that was read */
export function kindOf(name: string, codec: number, type?: number): Kind {
  if (type === UnixFsType.Directory || type === UnixFsType.HAMTShard) return 'folder'
  if (type === UnixFsType.Symlink) return 'link'
  if (codec !== RAW && codec !== DAG_PB) return 'data'
  return kindByName(name) ?? (codec === RAW || type !== undefined ? 'file' : 'node')
}

const SOURCE = /\.(c|cc|cpp|cs|go|h|hpp|java|jsx|kt|lua|php|pl|py|rb|rs|sh|sql|swift|toml|tsx|vue|zig)$/i

/** What the ending of a name tells, as the type does that the file is served with. */
function kindByName(name: string): Kind | undefined {
  const type = typeByName(name)
  if (type === undefined) return SOURCE.test(name) ? 'code' : undefined
  const main = type.slice(0, type.indexOf('/'))
  if (main === 'image' || main === 'video' || main === 'audio') return main
  if (STREAM.test(type)) return 'video'
  if (CODE.test(type)) return 'code'
  if (ARCHIVE.test(type)) return 'archive'
  return TEXT.test(type) ? 'text' : 'file'
}

const SHEET = 'M3 1h8l4 4v12H3zM4.5 2.5v13h9V6H10V2.5z'
const HEXAGON = 'M9 .8 16.2 5v8.2L9 17.3 1.8 13.2V5zM9 2.5 3.3 5.8v6.5L9 15.6l5.7-3.3V5.8z'
const FRAME = 'M1 3h16v12H1zM2.5 4.5v9h13v-9z'

/** Icons as outlines on 18 by 18 points, and the colours that they have on light and on dark. */
const ICONS: Readonly<Record<Kind | 'up', readonly [outline: string, light?: string, dark?: string]>> = {
  up: ['M9 2.5 15.2 9H11v6.5H7V9H2.8z'],
  folder: [
    'M1 4.2C1 3.5 1.5 3 2.2 3h4.5l2 2h7.1c.7 0 1.2.5 1.2 1.2v7.6c0 .7-.5 1.2-1.2 1.2H2.2c-.7 0-1.2-.5-1.2-1.2z',
    '#2f78d4',
    '#6ea8f5'
  ],
  link: ['M9.5 2H16v6.5h-1.6V4.7L7.6 11.5 6.5 10.4l6.8-6.8H9.5zM2 5h6v1.6H3.6v7.8h7.8V10H13v6H2z'],
  image: [`${FRAME}M5 5.9h2.2v2.2H5zM3.7 12.5l3.3-4 1.9 2 2.5-3.3 2.9 5.3z`, '#1d8050', '#5fc492'],
  video: [`${FRAME}M7.2 6 12 9l-4.8 3z`, '#8a4bc2', '#c499ee'],
  audio: ['M6.2 3.2 16 1.2v11.3a2.4 2.4 0 1 1-1.6-2.2V5.2L7.8 6.5v8a2.4 2.4 0 1 1-1.6-2.2z', '#b8367e', '#ef8fc1'],
  text: [`${SHEET}M6 8.2h6v1.3H6zM6 11.2h6v1.3H6z`],
  code: [`${SHEET}M8 8.6l-2.1 2.2L8 13l-.9.8-2.5-3 2.5-3zM10 8.6l.9-.8 2.5 3-2.5 3-.9-.8 2.1-2.2z`, '#0f7c8a', '#5cc3d1'],
  archive: ['M1 3h16v4H1zM2 8h14v8H2zM6.5 9.5V11h5V9.5z', '#96601a', '#dba961'],
  file: [SHEET],
  data: [`${HEXAGON}M9 6.3l2.5 1.4v2.8L9 11.9l-2.5-1.4V7.7z`, '#0f7c8a', '#5cc3d1'],
  node: [HEXAGON]
}

const all = Object.entries(ICONS)
const colours = (which: 1 | 2) =>
  all.map(([kind, icon]) => (icon[which] === undefined ? '' : `.${kind} { --kind: ${icon[which]} }\n`)).join('')

/** The icons of entries, as shapes that are filled with a colour: nothing has to be loaded for them, and a row names its own by a word. */
export const ICON_STYLE = `
td:first-child::before { content: ""; position: absolute; left: .75rem; top: calc(.4rem + 3px); width: 18px; height: 18px; background: var(--kind, var(--quiet)); clip-path: var(--icon) }
.folder td:first-child a::after { content: "/" }
${all.map(([kind, [outline]]) => `.${kind} { --icon: path(evenodd, "${outline}") }\n`).join('')}${colours(1)}@media (prefers-color-scheme: dark) {
${colours(2)}}
@media (forced-colors: active) { td:first-child::before { forced-color-adjust: none; background: CanvasText } }
`
