/** The page: static files from `web/`, read once. */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'

export interface Page {
  /** False: no such file. */
  serve(path: string, response: ServerResponse): boolean
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

const files = new Map([
  ['/', { file: 'index.html', type: 'text/html; charset=utf-8' }],
  ['/login.js', { file: 'login.js', type: 'text/javascript; charset=utf-8' }],
  ['/style.css', { file: 'style.css', type: 'text/css; charset=utf-8' }],
])

export function createPage(directory: URL): Page {
  const read = new Map<string, Buffer>()
  return {
    serve(path, response) {
      const found = files.get(path)
      if (!found) return false
      let content = read.get(path)
      if (!content) read.set(path, (content = readFileSync(new URL(found.file, directory))))
      response.writeHead(200, {
        'Content-Type': found.type,
        'Content-Length': content.length,
        'Content-Security-Policy': policy,
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cache-Control': 'no-cache',
      })
      response.end(content)
      return true
    },
  }
}
