/**
 * One keep-alive connection that sends ready-made bytes and waits for the answer. The client shares the machine with
 * the server under test, so it does no more than it must.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

export interface HttpLine {
  exchange(request: Buffer): Promise<Answer>
  close(): void
}

export interface Answer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export async function openLine(port: number): Promise<HttpLine> {
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
  const fail = () => waiting?.reject(new Error(`The server hung up in the middle of an answer: ${received}`))
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

/** `undefined` as long as the answer is not all there. */
function parseAnswer(received: string): Answer | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = received.slice(0, headEnd)
  const body = received.slice(headEnd + 4)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  // Nothing else is under way on this line, so a body in chunks ends with what was received.
  const isComplete =
    length === undefined ? body.endsWith('0\r\n\r\n') || head.includes(' 202 ') : body.length >= Number(length)
  return isComplete ? { status: Number(head.slice(9, 12)), head, body } : undefined
}
