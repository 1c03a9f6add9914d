/**
 * A keep-alive connection that sends prepared bytes and waits for the answer. The client runs on the same machine as
 * the server under test, so it does as little as possible.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export interface HttpConnection {
  exchange(request: Buffer): Promise<Answer>
  close(): void
}

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export async function openConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | undefined

  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const answer = parseAnswer(received)
    if (answer === undefined) return
    received = ''
    waiting?.resolve(answer)
  })
  const fail = () => waiting?.reject(new Error(`The server closed the connection during an answer: ${received}`))
  socket.on('error', fail).on('close', fail)

  return {
    exchange(request) {
      waiting = Promise.withResolvers<Answer>()
      socket.write(request)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** `undefined` while the answer is incomplete. */
function parseAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd)
  const body = received.slice(headEnd + 4)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  // No other call is in flight on this connection, so a chunked body ends with the received data.
  const isComplete =
    length === undefined ? body.endsWith('0\r\n\r\n') || head.includes(' 202 ') : body.length >= Number(length)
  return isComplete ? { status: Number(head.slice(9, 12)), head, body } : undefined
}
