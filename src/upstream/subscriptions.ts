/**
 * The resources that we follow, across restarts: `resources/subscribe` for legacy upstreams, one listen stream for
 * modern ones.
 */
import { createBatch } from '../base/batch.ts'
import { HubError } from '../base/hub-error.ts'
import type { Log } from '../base/log.ts'
import { isRecord } from '../mcp/mcp.ts'
import type { Connection } from './connection.ts'
import type { ListenStream } from './listen-stream.ts'
import { createListenStream } from './listen-stream.ts'
import type { UpstreamListener } from './upstream-types.ts'

export interface Subscriptions {
  add(uri: string, connection: Connection): Promise<void>
  remove(uri: string, connection: Connection | undefined): Promise<void>
  /** Sets a new connection. `isAgain`: there was one before, and notices between the two were missed. */
  attach(connection: Connection, isAgain: boolean): void
  /** There is no connection now. */
  detach(): void
}

export interface SubscriptionsOptions {
  readonly listener: Pick<UpstreamListener, 'notification'>
  readonly onUnreachable: (connection: Connection, reason: string) => void
  ackMs(): number
  readonly log: Log
  readonly random: () => number
}

export function createSubscriptions({
  listener,
  onUnreachable,
  ackMs,
  log,
  random,
}: SubscriptionsOptions): Subscriptions {
  const wanted = new Set<string>()
  let stream: ListenStream | undefined
  const reopen = createBatch<string | undefined>(open)

  /** Subscriptions made in one turn, or while a stream opens, share one new stream. */
  async function open(asked: readonly (string | undefined)[]): Promise<void> {
    const added = asked.filter((uri) => uri !== undefined && !wanted.has(uri)) as string[]
    for (const uri of added) wanted.add(uri)
    try {
      const unheard = new Set(await stream?.open())
      const refused = asked.find((uri) => uri !== undefined && unheard.has(uri))
      if (refused !== undefined) throw new HubError('invalid', `The upstream does not report changes of "${refused}".`)
    } catch (error) {
      for (const uri of added) wanted.delete(uri)
      throw error
    }
  }

  async function resume(connection: Connection): Promise<void> {
    if (stream) {
      if (wanted.size > 0 || tellsOfLists(connection)) await stream.open()
      return
    }
    await Promise.all([...wanted].map((uri) => connection.request('resources/subscribe', { uri }, { signal: never })))
  }

  function reportGap(): void {
    for (const list of lists) listener.notification(`notifications/${list}/list_changed`, undefined)
    for (const uri of wanted) listener.notification('notifications/resources/updated', { uri })
  }

  return {
    async add(uri, connection) {
      if (!canSubscribe(connection)) {
        throw new HubError(
          'invalid',
          'This upstream does not offer subscriptions to resources. Read the resource again instead.',
        )
      }
      if (wanted.has(uri)) return
      if (stream) return reopen(uri)
      await connection.request('resources/subscribe', { uri }, { signal: never })
      wanted.add(uri)
    },
    async remove(uri, connection) {
      if (!wanted.delete(uri)) return
      const done = stream ? reopen(undefined) : connection?.request('resources/unsubscribe', { uri }, { signal: never })
      // If this fails, the upstream sends notices that are dropped.
      await done?.catch((error: unknown) => log.debug({ error }, 'an upstream did not end a subscription'))
    },
    attach(connection, isAgain) {
      stream?.close()
      stream =
        connection.identity.era === 'legacy'
          ? undefined
          : createListenStream({
              connection,
              wanted: () => [...wanted],
              onNotice: (method, params) => listener.notification(method, params),
              onGap: reportGap,
              onUnreachable: (reason) => onUnreachable(connection, reason),
              ackMs: ackMs(),
              log,
              random,
            })
      resume(connection)
        .catch((error: unknown) => log.warn({ error }, 'an upstream did not restore subscriptions'))
        .finally(() => isAgain && reportGap())
    },
    detach() {
      stream?.close()
      stream = undefined
    },
  }
}

const lists = ['tools', 'prompts', 'resources'] as const
const never = new AbortController().signal

function canSubscribe({ identity }: Connection): boolean {
  const { resources } = identity.capabilities
  return isRecord(resources) && resources['subscribe'] === true
}

function tellsOfLists({ identity }: Connection): boolean {
  return lists.some((list) => {
    const offered = identity.capabilities[list]
    return isRecord(offered) && offered['listChanged'] === true
  })
}
