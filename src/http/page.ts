/**
 * Serves the page from the folder that scripts/page.ts builds: one document for all of its routes, assets whose names
 * change with their content, and the files of an installed page. Files are read once, in the compression that the browser
 * takes.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'

export interface Page {
  /** False: no such file. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean
}

export interface PageOptions {
  /** Where the built page is. */
  readonly directory: string
  /** The path before the session's name in its follow link. `/terminal/` always works as well. */
  readonly followPath: string
}

const types = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
])

/** The files of an installed page. Browsers ask for newer ones by the same names. */
const fixedFiles = new Map([
  ['sw.js', 'text/javascript; charset=utf-8'],
  ['manifest.webmanifest', 'application/manifest+json'],
  ['icon-192.png', 'image/png'],
  ['icon-512.png', 'image/png'],
  ['badge.png', 'image/png'],
])
/** Kept by the service worker, and shown when the hub cannot be reached. */
const offlinePath = '/offline.html'

/** The routes of the page other than the follow links. */
const routes = /^\/((approvals|connections|policy|activity|repositories|settings)(\/[\w.~%-]{1,256})?)?$/
const sessionNameOrId = /^[\w-]{1,64}$/
const assetPath = /^\/assets\/([\w-]+(?:\.[\w-]+)+)$/

export function createPage({ directory, followPath }: PageOptions): Page {
  const read = createReader(directory)
  const followPaths = new Set(['/terminal/', followPath])

  function isRoute(path: string): boolean {
    const [, place = '', session = ''] = /^(.*\/)([^/]*)$/.exec(path) ?? []
    return routes.test(path) || (followPaths.has(place) && sessionNameOrId.test(session))
  }

  return {
    serve(path, request, response) {
      if (isRoute(path) || path === offlinePath) {
        sendDocument(read(path === offlinePath ? 'offline.html' : 'index.html'), path, response)
        return true
      }
      const fixed = fixedFiles.get(path.slice(1))
      if (fixed !== undefined) {
        return sendFile({ read, name: path.slice(1), type: fixed, caching: 'no-cache' }, request, response)
      }
      const [, name = ''] = assetPath.exec(path) ?? []
      const type = types.get(extname(name))
      if (type === undefined) return false
      const caching = 'public, max-age=31536000, immutable'
      return sendFile({ read, name: `assets/${name}`, type, caching }, request, response)
    },
  }
}

type Read = (name: string) => Buffer | undefined

/** Keeps what it has read. A missing file is looked for again: the page may be built after the hub has started. */
function createReader(directory: string): Read {
  const kept = new Map<string, Buffer>()
  return (name) => {
    const content = kept.get(name) ?? readIfThere(join(directory, name))
    if (content) kept.set(name, content)
    return content
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The document has relative addresses, so that a proxy can serve the hub below any path. */
function sendDocument(document: Buffer | undefined, path: string, response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64')
  const headers = { ...guards(nonce), 'Cache-Control': 'no-store' }
  if (!document) {
    const why = 'The page is not built. "npm start" builds it.\n'
    response.writeHead(503, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }).end(why)
    return
  }
  const root = '../'.repeat(path.split('/').length - 2) || './'
  const html = document.toString().replaceAll('{{nonce}}', nonce).replaceAll('{{root}}', root)
  const content = Buffer.from(html.replaceAll('="./assets/', `="${root}assets/`))
  response
    .writeHead(200, { ...headers, 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': content.length })
    .end(content)
}

/** The smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

interface SentFile {
  readonly read: Read
  readonly name: string
  readonly type: string
  readonly caching: string
}

function sendFile(file: SentFile, request: IncomingMessage, response: ServerResponse): boolean {
  const { read, name, type, caching } = file
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = encodings.find(([each, end]) => accepted.includes(each) && read(`${name}${end}`))
  const content = read(`${name}${encoding?.[1] ?? ''}`)
  if (!content) return false
  response
    .writeHead(200, {
      ...guards(),
      'Content-Type': type,
      'Content-Length': content.length,
      'Cache-Control': caching,
      Vary: 'Accept-Encoding',
      ...(encoding && { 'Content-Encoding': encoding[0] }),
    })
    .end(content)
  return true
}

/**
 * The terminal emulator and the dialogs create style elements, which have the nonce, and the emulator colours single
 * characters with style attributes. Scripts and fonts are loaded only from the hub.
 */
function guards(nonce?: string): Record<string, string> {
  const styles = nonce === undefined ? '' : ` 'nonce-${nonce}'; style-src-attr 'unsafe-inline'`
  return {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'${styles}; font-src 'self'; connect-src 'self'; img-src 'self' data:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
}
