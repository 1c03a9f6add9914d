/** stdio ↔ a session's socket. The bytes pass as they are: both speak one message per line. */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

export interface SocketBridge {
  readonly input: Readable
  readonly socket: Socket
  /** Resolves when there is room for more. */
  write(bytes: Uint8Array): Promise<void>
}

/** The hub ends the connection when it has answered what it was asked; longer than this nobody waits for it. */
const farewellMs = 3_000

/** Resolves with who ended it, when all that came from the other side has been written. */
export async function bridgeSocket({ input, socket, write }: SocketBridge): Promise<'input' | 'hub'> {
  let endedBy: 'input' | 'hub' = 'hub'
  let farewell: NodeJS.Timeout | undefined
  input.once('end', () => {
    endedBy = 'input'
    farewell = setTimeout(() => socket.destroy(), farewellMs)
  })
  socket.on('error', () => {})
  input.pipe(socket)
  try {
    for await (const bytes of socket.iterator({ destroyOnReturn: false })) await write(bytes)
  } catch {
    // Cut off, without a goodbye: no different from an end.
  }
  clearTimeout(farewell)
  input.unpipe(socket)
  socket.destroy()
  return endedBy
}
