import { escapeHtml } from './escape.ts'

/** The looks that all pages share. Nothing of a page comes from elsewhere, and none runs a script. */
const STYLE = `
:root { color-scheme: light dark; --back: #fff; --text: #1a1f26; --quiet: #57616d; --edge: #dde2e8; --soft: #f3f6f9; --link: #0b57c2; --bold: #0b57c2; --onbold: #fff }
@media (prefers-color-scheme: dark) { :root { --back: #12161b; --text: #e5e9ee; --quiet: #9aa6b4; --edge: #2b333d; --soft: #1a2028; --link: #82b6ff; --bold: #82b6ff; --onbold: #0c1622 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 66rem; padding: 2rem 1.5rem 3rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1, h2 { margin: 0; line-height: 1.3 }
h2 { margin: 1.75rem 0 .5rem; font-size: 1rem }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .2em }
a, code { unicode-bidi: isolate }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 4px }
code, pre, .ipfs-hash { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
pre { margin: 0; border: 1px solid var(--edge); border-radius: 8px; background: var(--soft); padding: .75rem 1rem; overflow: auto; white-space: pre-wrap }
.button { display: inline-block; border: 1px solid var(--edge); border-radius: 8px; padding: .45rem .9rem; background: var(--soft); color: var(--link); font: inherit; text-decoration: none; cursor: pointer }
.button:hover { border-color: var(--link) }
.main { border-color: var(--bold); background: var(--bold); color: var(--onbold) }
@media (max-width: 40rem) { body { padding: 1.25rem 1rem 2rem } }
`

/** The looks of what is told about content, above it: its path, and its CID in a field that a click selects whole. */
export const ABOUT_STYLE = `
h1 { font-size: 1rem; font-weight: 400; color: var(--quiet) }
h1 a { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; text-decoration: none }
h1 a:hover { text-decoration: underline }
h1 a:last-child { display: block; width: fit-content; margin-top: .15rem; color: var(--text); font-size: 1.6rem; font-weight: 650 }
h1 a:only-child { font: 600 1.15rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
.about { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; margin: 1rem 0 1.5rem }
.about dt { color: var(--quiet); font-size: .875rem }
.about dd { margin: 0; font-variant-numeric: tabular-nums }
.about > :first-child { flex: 0 0 100% }
.about > :first-child dt::after { content: ": a click selects all of it" }
.about > :first-child dd { width: fit-content; max-width: 100%; margin-top: .2rem; border: 1px solid var(--edge); border-radius: 6px; background: var(--soft); padding: .2rem .6rem; font: .875rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; -webkit-user-select: all; user-select: all }
.about > :first-child dd:hover { border-color: var(--link) }
@media (max-width: 40rem) { h1 a:not(:last-child) { max-width: 11rem } h1 a:last-child:not(:only-child) { font-size: 1.35rem; white-space: normal } }
`

/** What is told of content, by its name: its CID first, in a field that a click selects whole. @param facts - values as HTML; undefined for none */
export function about(facts: ReadonlyArray<readonly [name: string, value: string | undefined]>): string {
  const groups = facts.map(([name, value]) => (value === undefined ? '' : `<div><dt>${name}</dt><dd>${value}</dd></div>`))
  return `<dl class="about">${groups.join('')}</dl>\n`
}

/** What a page has beside its content. */
interface Frame {
  readonly style?: string
  /** Whether it has a form, which asks this gateway alone. */
  readonly hasForm?: boolean
}

/** Names and values of others stand in every page: should one of them ever be read as HTML, it still runs and loads nothing. */
const policy = (hasForm: boolean) =>
  `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action ${hasForm ? "'self'" : "'none'"}`

/** The start of a page, up to its content. @param title - as text */
export function pageHead(title: string, { style = '', hasForm = false }: Frame = {}): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy(hasForm)}">
<meta name="referrer" content="same-origin">
<title>${escapeHtml(title)}</title>
<style>${STYLE}${style}</style>
</head>
<body>
`
}

export const PAGE_END = '</body>\n</html>\n'
