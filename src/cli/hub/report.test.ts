import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runInProcess } from '../../../test/fixtures/run-cli.ts'
import { until } from '../../../test/fixtures/until.ts'
import { startHubProcess } from '../../../test/worlds/hub-process.ts'
import { callTool } from '../../../test/harness/modern-call.ts'
import { createTempHome } from '../../../test/harness/temp-home.ts'
import type { Session } from '../../api/session.ts'

const signalbox = fileURLToPath(new URL('../../../bin/signalbox', import.meta.url))

test('sets the activity of the session that the program runs in', async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  // On a busy machine, the hub may answer too late.
  const report = `until '${signalbox}' report waiting 'It wants tea' 2>errors; do sleep 1; done; cat errors`
  const command = `${report}; read -r && echo SAID; sleep 60`
  await callTool(hub, 'create_session', { name: 'agent', template: 'shell', command })
  const { activity } = await until(async () => {
    const session = (await callTool(hub, 'get_session', { name: 'agent' })) as unknown as Session
    return session.activity.is === 'waiting' && session
  })
  expect(activity).toMatchObject({ reason: 'It wants tea', source: 'agent', confidence: 1 })
  const { lines } = await callTool(hub, 'read_screen', { session: 'agent' })
  // Agents read the output of their hooks as instructions, so it must be empty.
  expect((lines as string[]).join('\n').trim()).toBe('')
  await callTool(hub, 'send_input', { name: 'agent', text: '', force: true })
  await callTool(hub, 'wait_for', { session: 'agent', for: 'text', value: 'SAID' })
})

test('refuses an unknown activity and names the known ones', async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  const wrong = `'${signalbox}' report asleep; echo "exit code $?"; sleep 60`
  await callTool(hub, 'create_session', { name: 'agent', template: 'shell', command: wrong })
  const shown = await until(async () => {
    const { lines } = await callTool(hub, 'read_screen', { session: 'agent' })
    const text = (lines as string[]).join('\n')
    return text.includes('exit code') && text
  })
  expect(shown).toMatch(/signalbox: Wrong arguments: "is".*working/)
  expect(shown).toContain('exit code 5')
})

test('exits with 9 when the policy denies the report', async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  await callTool(hub, 'set_policy', {
    source: 'rules: [{ deny: sessions_report_activity, reason: it talks too much }]',
  })
  await callTool(hub, 'create_session', { name: 'agent', command: 'cat' })
  const { token } = await callTool(hub, 'issue_token', { role: 'agent', session: 'agent' })
  const env = { SIGNALBOX_URL: hub.url, SIGNALBOX_TOKEN: String(token) }
  const { code, err } = await runInProcess(['report', 'idle'], { env })
  expect(err).toContain('it talks too much')
  expect(code).toBe(9)
})

test('fails outside a session, with an exit code that no agent reads as an instruction', async () => {
  const { code, err } = await runInProcess(['report', 'working'], { env: {} })
  expect(err).toContain('This is not a session')
  expect(code).toBe(1)
})

test('fails when no hub answers', async () => {
  const env = { SIGNALBOX_URL: 'http://127.0.0.1:1/mcp', SIGNALBOX_TOKEN: 'sb_agent_x' }
  const { code, err } = await runInProcess(['report', 'idle'], { env })
  expect(err).toContain('No hub answers at http://127.0.0.1:1/mcp')
  expect(code).toBe(4)
})
