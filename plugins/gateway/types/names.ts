/** Media types by the endings of file names. */
const TYPES: Readonly<Record<string, string>> = {
  'application/epub+zip': 'epub',
  'application/geo+json': 'geojson',
  'application/gzip': 'gz tgz',
  'application/java-archive': 'jar',
  'application/json': 'json map',
  'application/ld+json': 'jsonld',
  'application/manifest+json': 'webmanifest',
  'application/msword': 'doc',
  'application/pdf': 'pdf',
  'application/postscript': 'ps eps',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/rtf': 'rtf',
  'application/vnd.ipld.car': 'car',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.sqlite3': 'sqlite sqlite3',
  'application/wasm': 'wasm',
  'application/x-7z-compressed': '7z',
  'application/x-bzip2': 'bz2',
  'application/x-ndjson': 'ndjson',
  'application/x-tar': 'tar',
  'application/x-xz': 'xz',
  'application/xhtml+xml': 'xhtml xht',
  'application/yaml': 'yaml yml',
  'application/zip': 'zip',
  'application/zstd': 'zst',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/midi': 'mid midi',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'oga ogg opus',
  'audio/wav': 'wav',
  'font/otf': 'otf',
  'font/ttf': 'ttf',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'image/apng': 'apng',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg jpeg',
  'image/jxl': 'jxl',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tif tiff',
  'image/webp': 'webp',
  'image/x-icon': 'ico',
  'model/gltf-binary': 'glb',
  'model/gltf+json': 'gltf',
  'text/calendar': 'ics',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html htm',
  'text/javascript': 'js mjs',
  'text/markdown': 'md markdown',
  'text/plain': 'txt text log conf ini',
  'text/tab-separated-values': 'tsv',
  'text/vtt': 'vtt',
  'text/xml': 'xml xsl xsd',
  'video/mp2t': 'ts m2ts',
  'video/mp4': 'mp4 m4v',
  'video/mpeg': 'mpg mpeg',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
  'video/x-matroska': 'mkv',
  'video/x-msvideo': 'avi',
  'application/vnd.apple.mpegurl': 'm3u8',
  'application/dash+xml': 'mpd'
}

/** Text is UTF-8, and says so; HTML says it itself. */
const byEnding: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).flatMap(([type, endings]) => {
    const said = type.startsWith('text/') && type !== 'text/html' ? `${type}; charset=utf-8` : type
    return endings.split(' ').map(ending => [ending, said] as const)
  })
)

/** The media type that a file name tells by its ending; undefined where it tells none. */
export function typeByName(name: string | undefined): string | undefined {
  const dot = name?.lastIndexOf('.') ?? -1
  return dot < 0 ? undefined : byEnding.get(name!.slice(dot + 1).toLowerCase())
}
