/** How long Claude Code waits for the gate before it uses a tool of its own that a rule allows. */
import type { AgentHub } from '../../test/agents/agent-hub.ts'

const session = 'bench-hooks'

/** In milliseconds, one by one. */
export async function measureHookAnswers(hub: AgentHub, count: number): Promise<readonly number[]> {
  await hub.call('create_session', {
    name: session,
    template: 'claude',
    mode: 'terminal',
    command: 'cat',
    working_dir: hub.workspace,
    policy: 'rules: [{ allow: own_shell }]',
  })
  const { token } = await hub.call('issue_token', { role: 'agent', session })
  const latencies: number[] = []
  for (let index = -warmUp; index < count; index++) {
    const before = performance.now()
    const answer = await askGate(hub, String(token), index)
    if (index >= 0) latencies.push(performance.now() - before)
    if (!answer.includes('"allow"')) throw new Error(`The gate answered ${answer}`)
  }
  await hub.call('kill_session', { name: session })
  return latencies
}

const warmUp = 50

async function askGate(hub: AgentHub, token: string, index: number): Promise<string> {
  const response = await fetch(new URL('/hooks/claude', hub.process.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      hook_event_name: 'PreToolUse',
      session_id: '00000000-0000-4000-8000-000000000000',
      cwd: hub.workspace,
      permission_mode: 'default',
      tool_name: 'Bash',
      tool_input: { command: `echo ${index}`, description: 'Says a number' },
      tool_use_id: `toolu_${index}`,
    }),
  })
  return response.text()
}
