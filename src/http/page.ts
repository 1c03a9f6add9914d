/**
 * Serves the page at `/` and the page that follows a session, from `web/`, and the terminal emulator they use, from its
 * package. There is no build step. Each file is read once.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Page {
  /** False: no such file. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean
}

export interface PageOptions {
  /** Where `web/` is. */
  readonly directory: URL
  /** The path before the session's name in its follow link. `/terminal/` always works as well. */
  readonly followPath: string
}

const types = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
])

const require = createRequire(import.meta.url)

/** Files of packages, by the name under which the page loads them. */
const packaged = {
  'xterm/xterm.js': require.resolve('@xterm/xterm/lib/xterm.mjs'),
  'xterm/xterm.css': require.resolve('@xterm/xterm/css/xterm.css'),
  'xterm/addon-fit.js': require.resolve('@xterm/addon-fit/lib/addon-fit.mjs'),
  'xterm/addon-unicode11.js': require.resolve('@xterm/addon-unicode11/lib/addon-unicode11.mjs'),
  'xterm/addon-web-links.js': require.resolve('@xterm/addon-web-links/lib/addon-web-links.mjs'),
}

const sessionNameOrId = /^[\w-]{1,64}$/

export function createPage({ directory, followPath }: PageOptions): Page {
  const files = findAssets(directory)
  const home = readOnce(fileURLToPath(new URL('index.html', directory)))
  const follow = readOnce(fileURLToPath(new URL('terminal/terminal.html', directory)))
  const followPaths = new Set(['/terminal/', followPath])

  return {
    serve(path, request, response) {
      if (path === '/') return send(home(), types.get('.html')!, request, response)
      const asset = files.get(path)
      if (asset) return send(asset.read(), asset.type, request, response)
      const [, place = '', session = ''] = /^(.*\/)([^/]*)$/.exec(path) ?? []
      const isFollowed = followPaths.has(place) && sessionNameOrId.test(session)
      if (isFollowed) sendFollowPage(follow().content.toString(), path, response)
      return isFollowed
    },
  }
}

interface Asset {
  readonly type: string
  read(): Content
}

interface Content {
  readonly content: Buffer
  readonly etag: string
}

function findAssets(directory: URL): ReadonlyMap<string, Asset> {
  const own = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === '.js' || extname(name) === '.css')
    .map((name) => [name, fileURLToPath(new URL(name, directory))] as const)
  return new Map(
    [...own, ...Object.entries(packaged)].map(([name, file]) => [
      `/assets/${name}`,
      { type: types.get(extname(name))!, read: readOnce(file) },
    ]),
  )
}

function readOnce(file: string): () => Content {
  let read: Content | undefined
  return () => {
    if (!read) {
      const content = readFileSync(file)
      read = { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
    }
    return read
  }
}

function send({ content, etag }: Content, type: string, request: IncomingMessage, response: ServerResponse): true {
  const headers = { ...guards(), ETag: etag, 'Cache-Control': 'no-cache' }
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end()
  } else {
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': content.length }).end(content)
  }
  return true
}

/** The page has relative addresses, so that a proxy can serve the hub below any path. */
function sendFollowPage(html: string, path: string, response: ServerResponse): void {
  const nonce = randomBytes(16).toString('base64')
  const root = '../'.repeat(path.split('/').length - 2) || './'
  const content = Buffer.from(html.replaceAll('{{nonce}}', nonce).replaceAll('{{root}}', root))
  response
    .writeHead(200, {
      ...guards(nonce),
      'Content-Type': types.get('.html'),
      'Content-Length': content.length,
      'Cache-Control': 'no-store',
    })
    .end(content)
}

/**
 * The emulator of the follow page creates style elements, which have the nonce, and colours single characters with style
 * attributes. Scripts are loaded only from the hub.
 */
function guards(nonce?: string): Record<string, string> {
  const styles = nonce === undefined ? '' : ` 'nonce-${nonce}'; style-src-attr 'unsafe-inline'`
  return {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'${styles}; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  }
}
