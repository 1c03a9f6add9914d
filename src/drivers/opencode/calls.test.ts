import { once } from 'node:events'
import { expect, test } from 'vitest'
import { until } from '../../../test/fixtures/until.ts'
import type { OwnToolAnswer, OwnToolCall, OwnToolGate } from '../port/own-tools.ts'
import { createCalls } from './calls.ts'
import type { OpencodeClient } from './client.ts'
import type { Permission, ToolPart } from './messages.ts'

/** A rule allows `ls`, another denies `rm`, and none is about other commands. A person says no. */
function open({ holds }: { readonly holds?: string } = {}) {
  const judged: string[] = []
  const replies: string[] = []
  const ownTools: OwnToolGate = {
    async authorize({ arguments: { command }, agentAsks, signal }: OwnToolCall): Promise<OwnToolAnswer> {
      judged.push(String(command))
      if (command === holds) {
        await once(signal, 'abort')
        return { is: 'refused', reason: 'gone', endsTurn: false }
      }
      if (command === 'rm' || agentAsks) return { is: 'refused', reason: 'no', endsTurn: false }
      return { is: 'allowed', isRuled: command === 'ls', approval: undefined, end() {} }
    },
    check: async () => ({ is: 'ask', reason: '' }),
    toolsOfHub: async () => ['github_read', 'get.env'],
    answeredInTerminal: async () => {},
  }
  const client = {
    replyPermission: async (_id: string, reply: string) => void replies.push(reply),
  } as unknown as OpencodeClient
  const calls = createCalls({ ownTools, workspacePath: '/project', client, onChange() {} })
  const decide = (id: string, command: string) =>
    calls.decide({ id, tool: 'bash', conversation: 'ses_1', args: { command } }, new AbortController().signal)
  return { calls, decide, judged, replies }
}

const permission = { id: 'per_1', sessionID: 'ses_1', permission: 'bash', patterns: [], metadata: {} }
const asked: Permission = { ...permission, tool: { messageID: 'msg_1', callID: 'call_1' } }
const running: ToolPart = {
  id: 'prt_1',
  sessionID: 'ses_1',
  messageID: 'msg_1',
  type: 'tool',
  tool: 'bash',
  callID: 'call_1',
  state: { status: 'running', input: { command: 'git push' }, time: { start: 0 } },
}

test('a second call with the id of an earlier one is judged by its own arguments', async () => {
  const { decide, judged } = open()
  expect(await decide('call_1', 'ls')).toEqual({ decision: 'allow' })
  expect(await decide('call_1', 'rm')).toEqual({ decision: 'deny', reason: 'no' })
  expect(judged).toEqual(['ls', 'rm'])
})

test.each([['before'], ['after']])(
  'a harmless call that a command announces under the id of another, %s it, does not answer its question',
  async (when) => {
    const { calls, decide, judged, replies } = open()
    calls.noted(running)
    if (when === 'before') await decide('call_1', 'ls')
    await decide('call_1', 'git push')
    if (when === 'after') await decide('call_1', 'ls')
    judged.length = 0
    calls.asked(asked)
    await until(() => replies.length > 0)
    expect({ judged, replies }).toEqual({ judged: ['git push'], replies: ['reject'] })
  },
)

test('a call that waits is kept, however many others follow', async () => {
  const { calls, decide } = open({ holds: 'git push' })
  const waiting = decide('call_1', 'git push')
  for (let index = 0; index < 2_000; index += 1) await decide(`other_${index}`, 'ls')
  calls.noted({
    ...running,
    state: { status: 'error', input: {}, error: 'aborted', time: { start: 0, end: 1 } },
  })
  expect(await waiting).toMatchObject({ decision: 'deny' })
})
