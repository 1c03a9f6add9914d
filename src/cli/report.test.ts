import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runInProcess } from '../../test/fixtures/run-cli.ts'
import { until } from '../../test/fixtures/until.ts'
import { startHubProcess } from '../../test/harness/hub-process.ts'
import { callTool } from '../../test/harness/modern-call.ts'
import { createTempHome } from '../../test/harness/temp-home.ts'
import type { Session } from '../api/session.ts'

const signalbox = fileURLToPath(new URL('../../bin/signalbox', import.meta.url))

test('what a program in a session reports is what people see of it', async () => {
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  const said = `'${signalbox}' report waiting 'It wants tea' && echo SAID; sleep 60`
  await callTool(hub, 'create_session', { name: 'agent', template: 'shell', command: said })
  const { activity } = await until(async () => {
    const session = (await callTool(hub, 'get_session', { name: 'agent' })) as unknown as Session
    return session.activity.is === 'waiting' && session
  })
  expect(activity).toMatchObject({ reason: 'It wants tea', source: 'agent', confidence: 1 })
  const { lines } = await callTool(hub, 'read_screen', { session: 'agent' })
  // Agents take what their hooks print for orders.
  expect((lines as string[]).join('\n').trim()).toMatch(/^(SAID)?$/)
})

test('an activity that does not exist is told with those that do', async () => {
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

test('what the policy denies is no report, and says so with the code for that', async () => {
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

test('outside a session it says so, with a code that no agent takes for an order', async () => {
  const { code, err } = await runInProcess(['report', 'working'], { env: {} })
  expect(err).toContain('This is no session')
  expect(code).toBe(1)
})

test('without a hub that answers it says so', async () => {
  const env = { SIGNALBOX_URL: 'http://127.0.0.1:1/mcp', SIGNALBOX_TOKEN: 'sb_agent_x' }
  const { code, err } = await runInProcess(['report', 'idle'], { env })
  expect(err).toContain('No hub answers at http://127.0.0.1:1/mcp')
  expect(code).toBe(4)
})
