import { basename } from 'node:path'
import type { HubConnection } from './hub-client.ts'
import { listSessions } from './list-sessions.ts'

/** `htop-1`: what it runs, and the first number that nobody has had. */
export async function chooseName(hub: HubConnection, kind: string): Promise<string> {
  const sessions = await listSessions(hub)
  return firstFree(kind, new Set(sessions.map(({ name }) => name)))
}

/** A command may be a path, or a line for the shell: its first word says most. */
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
