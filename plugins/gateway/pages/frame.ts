import { escapeHtml } from './escape.ts'

/** Nothing of a page comes from elsewhere, and none runs a script. */
const STYLE = `
:root { color-scheme: light dark; --edge: #8884; --soft: #8882 }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 64rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.25rem; margin: 0 0 .5rem }
a { color: LinkText }
a, code { unicode-bidi: isolate }
code, .ipfs-hash, dd, pre { font-family: ui-monospace, monospace; font-size: .9rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 0 1rem }
dt { opacity: .7 }
dd { margin: 0 }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid var(--edge); padding: .4rem .5rem; vertical-align: top }
tr:hover { background: var(--soft) }
td:first-child { padding-left: 0 }
td:last-child { padding-right: 0 }
td.size, td.hash { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
pre { border: 1px solid var(--edge); padding: .75rem; overflow: auto; white-space: pre-wrap }
@media (max-width: 40rem) { td.hash { display: none } body { padding: .75rem } td { padding: .6rem .25rem } td:first-child { padding-left: 0 } td:last-child { padding-right: 0 } }
`

/** Names and values of others stand in every page: should one of them ever be read as HTML, it still runs and loads nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

/** The start of a page, up to its content. @param title - as text */
export function pageHead(title: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="same-origin">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
`
}

export const PAGE_END = '</body>\n</html>\n'
