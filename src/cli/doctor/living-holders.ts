import { join } from 'node:path'
import { dial, holderSocketDirectory } from '../../base/socket-places.ts'
import { holderSocket, idsWithSocket } from '../../terminal/terminal.ts'

/** The ids of the sessions of a data directory whose holders answer. */
export async function livingHolders(home: string): Promise<readonly string[]> {
  const sockets = holderSocketDirectory(home)
  const ids = idsWithSocket(join(home, 'sessions'), sockets)
  const answers = await Promise.all(ids.map((id) => doesAnswer(holderSocket(sockets, id))))
  return ids.filter((_, index) => answers[index])
}

async function doesAnswer(socket: string): Promise<boolean> {
  try {
    const connection = await dial(socket)
    connection.destroy()
    return true
  } catch {
    return false
  }
}
