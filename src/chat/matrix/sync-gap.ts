/** The events that a sync has left out because there were too many. */
import type { RoomEvent } from './matrix-answers.ts'
import type { MatrixClient, SyncPage } from './matrix-client.ts'

/** With 100 events each, more than the messages that a chat can hold. */
const mostPages = 110

export async function readGap(
  client: Pick<MatrixClient, 'messagesBefore'>,
  roomId: string,
  { gapBefore }: Pick<SyncPage, 'gapBefore'>,
  { since, lastEvent }: { readonly since: string; readonly lastEvent: string | undefined },
): Promise<readonly RoomEvent[]> {
  const missed: RoomEvent[] = []
  let from = gapBefore
  for (let pages = 0; from !== undefined && pages < mostPages; pages++) {
    const { events, end } = await client.messagesBefore(roomId, from, since)
    for (const event of events) {
      // A homeserver that ignores `to` also returns events that were read before.
      if (event.event_id === lastEvent) return missed.toReversed()
      missed.push(event)
    }
    from = end === from || end === since ? undefined : end
  }
  if (from === undefined) return missed.toReversed()
  throw new Error('The room has more new messages than the chat of a session can hold.')
}
