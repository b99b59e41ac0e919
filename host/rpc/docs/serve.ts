import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NOT_FOUND, plain, redirect, send } from '../../http/responses.ts'
import { PAGE, POLICY, SCRIPT } from './page.ts'

const SCRIPTS = 'text/javascript; charset=utf-8'

/** Media types by name below `/docs`; the page itself has none. */
const TYPES = {
  '': 'text/html; charset=utf-8',
  'page.js': SCRIPTS,
  'swagger-ui-bundle.js': SCRIPTS,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png'
} as const

type Name = keyof typeof TYPES

const ASSETS = new URL('assets/', import.meta.url)

/** Serves `/docs` and what the page asks for. @param path - starts with `/docs` */
export async function serveDocs(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return plain(request, response, 405, '405 - Method Not Allowed\n', [['Allow', 'GET, HEAD']])
  }
  if (path === '/docs/') return redirect(request, response, 301, '/docs')
  const name = path.slice('/docs/'.length)
  const type = Object.hasOwn(TYPES, name) ? TYPES[name as Name] : undefined
  if (type === undefined) return plain(request, response, 404, NOT_FOUND)
  const body = await bodyOf(name as Name)
  if (body === undefined) return plain(request, response, 404, NOT_BUILT)
  send(request, response, 200, ['Content-Type', type, 'Cache-Control', 'no-cache', ...PROTECTION], body)
}

const PROTECTION = ['Content-Security-Policy', POLICY, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'same-origin']

const NOT_BUILT = 'the files of this page are not there: `npm run build` puts them into dist\n'

/** @returns undefined for a file that the build has not brought */
async function bodyOf(name: Name): Promise<string | Uint8Array | undefined> {
  if (name === '') return PAGE
  if (name === 'page.js') return SCRIPT
  try {
    return await readFile(new URL(name, ASSETS))
  } catch {
    return undefined
  }
}
