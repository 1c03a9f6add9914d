import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { HubError } from '../base/hub-error.ts'

/** Reads the body as text. Refuses a body that is too large as soon as that is known, and names the setting. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  setting = 'max_body_bytes',
): Promise<string> {
  const tooLarge = () =>
    new HubError('too-large', `The body is larger than ${maxBytes} bytes (setting ${setting}). Split the request.`)
  // Not a bug, so it is not logged: the client has left.
  const cutOff = () => new HubError('invalid', 'The connection was closed before the body was complete.')
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const body = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) reject(tooLarge())
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', () => reject(cutOff()))
    request.on('close', () => {
      if (!request.complete) reject(cutOff())
    })
  })
  if (!isUtf8(body)) throw new HubError('invalid', 'The body is not UTF-8.')
  return body.toString('utf8')
}
