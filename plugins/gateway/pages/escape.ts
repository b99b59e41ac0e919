const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

/** Marks that have text run the other way: a name that has one would be seen as another (`photo\u202egpj.exe`). */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g

/** Text as it can stand in HTML, between tags and in quoted attributes; marks of direction in it are seen as `\u202e`. */
export function escapeHtml(text: string): string {
  return escapeAttribute(text).replace(DIRECTIONS, char => `\\u${char.charCodeAt(0).toString(16)}`)
}

/** The same as it is, for what is sent back. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, char => ESCAPES[char]!)
}
