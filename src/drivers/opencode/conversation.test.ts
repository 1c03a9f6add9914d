import { expect, test } from 'vitest'
import type { Conversation } from './conversation.ts'
import { createConversation } from './conversation.ts'
import type { MessageInfo, Part } from './messages.ts'

const sessionID = 'ses_1'
const user: MessageInfo = { role: 'user', id: 'msg_1', sessionID, time: { created: 1_000 } }

function assistant(id: string, more: object = {}): MessageInfo {
  const time = { created: 2_000 }
  return { role: 'assistant', id, sessionID, parentID: 'msg_1', providerID: 'p', modelID: 'm', time, ...more }
}
const over = { time: { created: 2_000, completed: 3_000 } }
const tokens = { input: 10, output: 5, reasoning: 1, cache: { read: 2, write: 0 } }

function text(messageID: string, id: string, said: string, end?: number): Part {
  const time = { start: 2_000, ...(end !== undefined && { end }) }
  return { id, sessionID, messageID, type: 'text', text: said, ...(messageID !== 'msg_1' && { time }) }
}
function call(messageID: string, state: object): Part {
  const place = { id: `prt_${messageID}_call`, sessionID, messageID }
  return { ...place, type: 'tool', tool: 'bash', callID: `call_${messageID}`, state } as Part
}
const input = { command: 'ls' }
const running = { status: 'running', input, time: { start: 2_100 } }
const completed = { status: 'completed', input, output: 'a', time: { start: 2_100, end: 2_200 } }

/** The entries that are ready, which count as written from then on. */
function take(conversation: Conversation): readonly string[] {
  const entries = conversation.ready()
  conversation.written(entries)
  return entries.map((entry) => `${entry.key} ${entry.type === 'complete' ? entry.status : entry.type}`)
}

function begun(): Conversation {
  const conversation = createConversation(sessionID)
  conversation.message(user)
  conversation.part(text('msg_1', 'prt_0', 'Do it'))
  expect(take(conversation)).toEqual(['prt_0 prompt'])
  return conversation
}

test('the work for many messages is linear in their number', () => {
  const conversation = begun()
  let looks = 0
  const count = 2_000
  for (let n = 0; n < count; n++) {
    const info = assistant(`msg_a${n}`)
    conversation.message({
      ...info,
      get role() {
        looks += 1
        return info.role
      },
    } as MessageInfo)
  }
  looks = 0
  conversation.ready()
  expect(looks).toBeGreaterThan(0)
  expect(looks).toBeLessThan(10 * count)
})

test('the messages of all conversations that have not ended are limited together', () => {
  const kept = { bytes: 0 }
  const [one, other] = ['ses_1', 'ses_2'].map((id) => createConversation(id, kept))
  const long = 'x'.repeat(40 * 1024 * 1024)
  one!.part(text('msg_2', 'prt_1', long))
  expect(() => other!.part(text('msg_2', 'prt_1', long))).toThrow(/more than 67108864 bytes/)
})

test('a call waits for the text above it, and every entry is given once', () => {
  const conversation = begun()
  conversation.message(assistant('msg_2'))
  conversation.part(text('msg_2', 'prt_1', ''))
  expect(conversation.delta('prt_1', 'I see')).toEqual({ key: 'prt_1', type: 'text', text: 'I see' })
  conversation.part(call('msg_2', running))
  expect(take(conversation)).toEqual([])
  conversation.part(text('msg_2', 'prt_1', 'I see', 2_050))
  expect(take(conversation)).toEqual(['prt_1 text', 'call:call_msg_2 tool-request'])
  conversation.part(call('msg_2', completed))
  conversation.message(assistant('msg_2', { ...over, finish: 'tool-calls', tokens }))
  expect(take(conversation)).toEqual(['result:call_msg_2 tool-result'])
  conversation.message(assistant('msg_3', { ...over, finish: 'stop', tokens }))
  conversation.idle(false)
  const [end] = conversation.ready()
  expect(end).toMatchObject({ key: 'complete:msg_1', usage: { input_tokens: 24, output_tokens: 12 } })
})

test('a message that arrives as complete before its parts waits for them', () => {
  const conversation = begun()
  conversation.message(assistant('msg_2', { ...over, finish: 'stop' }))
  expect(take(conversation)).toEqual([])
  conversation.part(text('msg_2', 'prt_1', ''))
  conversation.part(text('msg_2', 'prt_1', 'Done', 2_050))
  conversation.idle(false)
  expect(take(conversation)).toEqual(['prt_1 text', 'complete:msg_1 completed'])
})

test('messages that are read again after a turn give nothing', () => {
  const conversation = begun()
  conversation.message(assistant('msg_2', { ...over, finish: 'stop' }))
  conversation.settle()
  expect(take(conversation)).toEqual(['complete:msg_1 completed'])
  conversation.message(user)
  conversation.message(assistant('msg_2', { ...over, finish: 'stop' }))
  expect(take(conversation)).toEqual([])
})

test('a turn that stops after a refused call has ended, but not between two steps', () => {
  const conversation = begun()
  conversation.message(assistant('msg_2', { ...over, finish: 'tool-calls' }))
  expect(take(conversation)).toEqual([])
  conversation.idle(false)
  expect(take(conversation)).toEqual(['complete:msg_1 interrupted'])
})

test('an answer that is not complete ends the turn only if opencode no longer works on it', () => {
  const conversation = begun()
  conversation.message(assistant('msg_2'))
  conversation.idle(false)
  expect(take(conversation)).toEqual([])
  conversation.idle(true)
  expect(take(conversation)).toEqual(['complete:msg_1 interrupted'])
})

test('a failure says what to do', () => {
  const conversation = begun()
  const error = { name: 'APIError', data: { message: 'No key.', statusCode: 401 } }
  conversation.message(assistant('msg_2', { ...over, error }))
  conversation.idle(false)
  expect(conversation.ready()).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('opencode auth login') },
  ])
})

test('a prompt that fails before an answer begins ends its turn', () => {
  const conversation = begun()
  conversation.failed({ name: 'UnknownError', data: { message: 'No such model.' } })
  expect(conversation.ready()).toMatchObject([{ key: 'complete:msg_1', status: 'failed', reason: 'No such model.' }])
})
