/** Codex over its app-server: what it says, what it does, and what it may do, with its interface beside or without it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../src/api/approval.ts'
import type { Frame, Thread } from '../../src/api/thread.ts'
import { until } from '../fixtures/until.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const codex = agents.find(({ name }) => name === 'codex')!
const slow = { timeout: 60_000 }

const shell = (cmd: string, more: object = {}) => `CALL exec_command ${JSON.stringify({ cmd, ...more })}`

function using(hub: AgentHub) {
  return {
    start: (name: string, args: object = {}) =>
      hub.call('create_session', { name, template: 'codex', working_dir: hub.workspace, ...args }),
    prompt: (session: string, text: string, args: object = {}) =>
      hub.call('prompt_session', { session, text, ...args }),
    thread: async (session: string) => (await hub.call('read_thread', { session })) as unknown as Thread,
    async approvals(session: string) {
      return ((await hub.call('list_approvals', { session })) as unknown as { approvals: Approval[] }).approvals
    },
  }
}

/** Each frame as one word or two, in order. */
function toldIn({ events }: Thread): readonly string[] {
  return events.map((frame: Frame) => ('text' in frame ? `${frame.type}: ${frame.text}` : frame.type))
}

describeWith(codex, () => {
  let hub: AgentHub
  let codexHub: ReturnType<typeof using>
  beforeAll(async () => {
    hub = await startAgentHub(codex)
    codexHub = using(hub)
  })
  afterAll(() => hub[Symbol.asyncDispose]())

  for (const mode of ['structured', 'both'] as const) {
    test(`${mode}: a prompt is answered in the thread, and the session says what it did`, async () => {
      const name = `answers-${mode}`
      await codexHub.start(name, { mode })
      const turn = await codexHub.prompt(name, 'THINK about it\nSAY I begin\nFINAL it is done')
      expect(turn).toMatchObject({ status: 'completed', answer: 'it is done', usage: { output_tokens: 10 } })
      expect(toldIn(await codexHub.thread(name))).toEqual([
        'prompt: THINK about it\nSAY I begin\nFINAL it is done',
        'thinking: about it',
        'token: I begin',
        'token: it is done',
        'final: it is done',
        'complete',
      ])
      expect(await hub.session(name)).toMatchObject({ mode, governed: { is: 'yes' }, activity: { is: 'idle' } })
      if (mode === 'both') await until(async () => /^(?!.*FINAL).*it is done/m.test(await hub.screen(name)))
      await hub.call('kill_session', { name })
    })
  }
})
