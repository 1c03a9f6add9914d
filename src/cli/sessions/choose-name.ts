import { basename } from 'node:path'
import type { HubClient } from '../hub-client/hub-client.ts'
import { listSessions } from './list-sessions.ts'

/** Makes a name like `htop-1`: the program and the first number that no session has. */
export async function chooseName(hub: HubClient, kind: string): Promise<string> {
  const sessions = await listSessions(hub)
  return firstFree(kind, new Set(sessions.map(({ name }) => name)))
}

/** Takes the program from the first word, since a command may be a path or a shell line. */
export function firstFree(kind: string, taken: ReadonlySet<string>): string {
  const word = basename(kind.trim().split(/\s/)[0] ?? '')
  const slug = word
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30)
  for (let number = 1; ; number++) {
    const name = `${slug || 'session'}-${number}`
    if (!taken.has(name)) return name
  }
}
