/** Listens to notifications over a database connection of its own, and reconnects when it breaks. */
import pg from 'pg'
import type { PostgresListener } from '../base/postgres-access.ts'

export interface ListenOptions {
  readonly settings: pg.ClientConfig
  readonly channel: string
  readonly listener: PostgresListener
}

const retryMs = 1_000

export async function listenOn({ settings, channel, listener }: ListenOptions): Promise<AsyncDisposable> {
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined
  let isClosed = false

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client(settings)
    fresh.on('error', () => lose(fresh))
    fresh.on('end', () => lose(fresh))
    fresh.on('notification', (notice) => listener.onNotice(notice.payload ?? ''))
    client = fresh
    await fresh.connect()
    await fresh.query(`listen ${fresh.escapeIdentifier(channel)}`)
  }
  const lose = (lost: pg.Client): void => {
    if (isClosed || client !== lost) return
    client = undefined
    retry = setTimeout(reconnect, retryMs)
    retry.unref()
    void lost.end().catch(() => {})
  }
  const reconnect = (): void => {
    connect().then(
      () => listener.onGap(),
      () => {
        if (client !== undefined) lose(client)
      },
    )
  }

  await connect()
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
