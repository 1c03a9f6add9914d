/** Texts that the model is still writing, from the stream of its answer. */
import type { Draft } from '../../api/thread.ts'
import { grownDraft } from '../port/thread-writer.ts'
import { blockKey } from './read-message.ts'
import type { StreamLine } from './stream-line.ts'

type StreamEvent = Extract<StreamLine, { type: 'stream_event' }>

export interface Drafts {
  /** `lastMessage`: the message that was read last, if the stream began before this hub. */
  take(line: StreamEvent, lastMessage: string | undefined): void
  /** The text is complete and in the thread. */
  drop(): void
}

const showEveryMs = 50

export function createDrafts(show: (conversation: string, draft: Draft) => void): Drafts {
  let message: string | undefined
  let current: Draft | undefined
  let timer: NodeJS.Timeout | undefined

  function showSoon(conversation: string): void {
    timer ??= setTimeout(() => {
      timer = undefined
      if (current) show(conversation, current)
    }, showEveryMs)
  }

  return {
    take({ event, parent_tool_use_id: parent, session_id: conversation }, lastMessage) {
      // A subagent has its own conversation.
      if (typeof parent === 'string') return
      if (event.type === 'message_start') message = event.message?.id
      if (event.type === 'content_block_stop' || event.type === 'message_stop') current = undefined
      const text = event.delta?.text ?? event.delta?.thinking
      const id = message ?? lastMessage
      if (event.type !== 'content_block_delta' || text === undefined || id === undefined) return
      const key = blockKey(id, event.index ?? 0)
      const type = event.delta?.thinking === undefined ? 'text' : 'thinking'
      current = { key, type, text: grownDraft(current?.key === key ? current.text : '', text) }
      showSoon(conversation)
    },
    drop: () => void (current = undefined),
  }
}
