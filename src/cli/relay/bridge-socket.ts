/** Connects stdio to a session's socket. Forwards bytes unchanged, because both have one message per line. */
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

export interface SocketBridge {
  readonly input: Readable
  readonly socket: Socket
  /** Resolves when the output can take more. */
  write(bytes: Uint8Array): Promise<void>
}

/** The hub closes the socket after its last answer. The relay waits this long for that. */
const closeTimeoutMs = 3_000

/** Resolves when everything from the hub is written. Returns which side ended first. */
export async function bridgeSocket({ input, socket, write }: SocketBridge): Promise<'input' | 'hub'> {
  let endedBy: 'input' | 'hub' = 'hub'
  let closeTimer: NodeJS.Timeout | undefined
  input.once('end', () => {
    endedBy = 'input'
    closeTimer = setTimeout(() => socket.destroy(), closeTimeoutMs)
  })
  socket.on('error', () => {})
  input.pipe(socket)
  try {
    for await (const bytes of socket.iterator({ destroyOnReturn: false })) await write(bytes)
  } catch {
    // A broken socket is handled like a closed one.
  }
  clearTimeout(closeTimer)
  input.unpipe(socket)
  socket.destroy()
  return endedBy
}
