/** Agents that ask agents, with the real CLIs on both ends. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoggedEvent } from '../../src/api/event.ts'
import type { Span } from '../../src/api/trace.ts'
import { traceSchema } from '../../src/api/trace.ts'
import type { AgentHub } from './agent-hub.ts'
import { startAgentHub } from './agent-hub.ts'
import { agents } from './agents.ts'
import { describeWith } from './requires-agent.ts'

const codex = agents.find(({ name }) => name === 'codex')!
const claude = agents.find(({ name }) => name === 'claude')!
/** The built-in agent, with the same scripted model. */
const assistant = {
  settings: () => ({}),
  environment: (model: string) => ({ OPENAI_BASE_URL: `${model}/v1`, SIGNALBOX_MODEL: 'openai/scripted' }),
  asks: /never/,
}

describeWith(codex, () => {
  describeWith(claude, () => {
    let hub: AgentHub
    beforeAll(async () => {
      hub = await startAgentHub([codex, claude, assistant])
      for (const template of ['codex', 'claude']) {
        const name = `my-${template}`
        await hub.call('create_session', { name, template, mode: 'structured', working_dir: hub.workspace })
      }
      await hub.call('create_session', { name: 'my-assistant', template: 'assistant' })
    })
    afterAll(() => hub[Symbol.asyncDispose]())

    const prompt = (session: string, text: string) => hub.call('prompt_session', { session, text, timeout_ms: 110_000 })
    /** The types of one trace with what they are about, oldest first. */
    async function traceOf(peer: string): Promise<readonly unknown[]> {
      const query = async (args: object) => (await hub.call('query_events', { ...args }))['events'] as LoggedEvent[]
      const { id } = await hub.session(peer)
      const [started] = await query({ session: id, type: 'turn-started', order: 'newest', limit: 1 })
      expect(started?.route).toBe(`session:${peer}`)
      const events = await query({ correlation: started?.correlation })
      return events.map(({ type, payload }) => [type, payload['tool'] ?? payload['chain'] ?? payload['status']])
    }

    test.each([
      ['codex', 'claude', 'code_advice', 'use a map'],
      ['claude', 'codex', 'tests_generate', 'expect(sum(1, 2)).toBe(3)'],
    ])('%s asks %s with sessions_%s, and gets its answer', async (from, to, action, answer) => {
      const [caller, peer] = [`my-${from}`, `my-${to}`]
      const args = { session: peer, text: `What would you do?\nFINAL ${answer}` }
      const turn = await prompt(caller, `CALL sessions_${action} ${JSON.stringify(args)}`)
      expect(turn).toMatchObject({ status: 'completed', answer: expect.stringContaining(answer) })
      expect(turn['answer']).toContain(`session:${peer}`)
      expect(await traceOf(peer)).toEqual([
        ['tool-called', 'prompt_session'],
        ['turn-started', [caller]],
        ['tool-called', `sessions_${action}`],
        ['turn-started', [caller, peer]],
        ['turn-ended', 'completed'],
        ['tool-answered', `sessions_${action}`],
        ['turn-ended', 'completed'],
        ['tool-answered', 'prompt_session'],
      ])
    })

    test.each(['my-codex', 'my-claude'])(
      'the assistant asks %s in every way, and the trace is one tree',
      async (peer) => {
        const tools = ['sessions_ask', 'sessions_code_advice', 'sessions_tests_generate']
        const calls = tools.map((tool) => ({
          tool,
          args: { session: peer, text: `Tell me.\nFINAL the ${tool} of ${peer}` },
        }))
        const script = calls.map(({ tool, args }) => `CALL ${tool} ${JSON.stringify(args)}`).join('\n')
        const turn = await prompt('my-assistant', script)
        expect(turn).toMatchObject({ status: 'completed', route: 'session:my-assistant' })
        for (const tool of tools) expect(turn['answer']).toContain(`the ${tool} of ${peer}`)

        const { id } = await hub.session('my-assistant')
        const query = { session: id, type: 'turn-started', order: 'newest', limit: 1 }
        const [started] = (await hub.call('query_events', query))['events'] as LoggedEvent[]
        const { spans } = traceSchema.parse(await hub.call('get_trace', { correlation: started?.correlation }))
        expect(spans.map(({ payload }) => payload['tool'])).toEqual(['prompt_session'])
        const own = below(spans[0]!, 'turn-started')
        expect(own).toMatchObject([{ payload: { chain: ['my-assistant'] }, route: 'session:my-assistant' }])
        const asked = below(own[0]!, 'tool-called')
        expect(asked.map(({ payload }) => payload['tool'])).toEqual(tools)
        for (const ask of asked) {
          const chain = ['my-assistant', peer]
          expect(below(ask, 'turn-started')).toMatchObject([{ payload: { chain }, route: `session:${peer}` }])
          expect(below(ask, 'tool-answered')).toMatchObject([{ payload: { outcome: 'ok' } }])
        }
      },
    )

    test('a command that is denied to Codex is not run by Claude Code for it', async () => {
      const source = 'rules:\n  - deny: own_shell\n    reason: no commands'
      await hub.call('set_policy', { scope: 'session', target: 'my-codex', source })
      const command = `CALL Bash ${JSON.stringify({ command: 'echo it ran', description: 'Does it' })}`
      const args = { session: 'my-claude', text: command }
      const turn = await prompt('my-codex', `CALL sessions_ask ${JSON.stringify(args)}`)
      expect(turn['answer']).toContain('works for')
      expect(turn['answer']).toContain('no commands')
    })
  })
})

function below({ spans }: Span, type: string): readonly Span[] {
  return spans.filter((span) => span.type === type)
}
