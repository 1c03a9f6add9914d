/** The thread and the workspace files of the other sessions, for an agent. The policy decides on them as sessions_read. */
import type { Thread } from '../api/thread.ts'
import { HubError, isNotFound } from '../base/hub-error.ts'
import type { ResourceTemplate, Variables } from '../mcp/mcp.ts'
import type { ReachablePeers } from './reachable-peers.ts'
import type { WorkspacePlaces } from './workspace-file.ts'
import { readWorkspaceFile } from './workspace-file.ts'

export interface PeerResourcesOptions {
  readonly peers: Pick<ReachablePeers, 'findToRead'>
  readonly threads: {
    read(
      session: string,
      options: { readonly limit: number; readonly since?: string | undefined; readonly signal: AbortSignal },
    ): Promise<Thread>
  }
  readonly places: WorkspacePlaces
}

const subject = { tool: 'sessions_read' }
/** Only the beginning of a long thread is shown, for the context. The newest part is in the answer of the peer. */
const mostEntries = 500

export function createPeerResources({ peers, threads, places }: PeerResourcesOptions): readonly ResourceTemplate[] {
  /** A notice tells what happens in a session, so it needs the same right as reading. */
  const watch = async (uri: string) => void (await peers.findToRead(sessionIn(uri)))

  const thread: ResourceTemplate = {
    uriTemplate: 'resource://sessions/{id}/thread',
    name: 'peer-thread',
    description: 'What the agent of another session said and did.',
    mimeType: 'application/json',
    subject,
    read: (uri, { id }, { signal }) =>
      orNothing(async () => {
        const { id: session } = await peers.findToRead(String(id))
        const text = JSON.stringify(await threads.read(session, { limit: mostEntries, signal }))
        return { contents: [{ uri, mimeType: 'application/json', text }] }
      }),
    watch,
  }
  const file: ResourceTemplate = {
    uriTemplate: 'resource://sessions/{id}/files/{+path}',
    name: 'peer-file',
    description: 'A file of the workspace of another session.',
    subject,
    read: (uri, { id, path }: Variables) =>
      orNothing(async () => {
        const peer = await peers.findToRead(String(id))
        const bytes = await readWorkspaceFile(peer, decoded(String(path)), places)
        const text = textOf(bytes)
        return { contents: [text === undefined ? { uri, blob: bytes.toString('base64') } : { uri, text }] }
      }),
    watch,
  }
  return [thread, file]
}

/** The part of the address that names the session. */
function sessionIn(uri: string): string {
  return uri.split('/')[3] ?? ''
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    throw new HubError('invalid', `"${path}" has a "%" that is not part of an encoded character.`, { cause: error })
  }
}

async function orNothing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** `undefined`: it is not UTF-8. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
