/** The screen, output and exit code of an ended session, also after a restart. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '../../src/api/session.ts'
import { until } from '../fixtures/until.ts'
import { type OwnHub, patience } from '../worlds/own-hub.ts'
import { failureOf, screenOf, sessionOf, start, startSessionHub } from '../worlds/session-hub.ts'

let hub: OwnHub
beforeAll(async () => void (hub = await startSessionHub()))
afterAll(() => hub[Symbol.asyncDispose]())

test('an ended session can be read as before, at the same hub and at the next one', async () => {
  const command = String.raw`seq 1 3000; printf '\033[1;31mlast words\033[0m\n'; exit 3`
  await start(hub, 'ended', command, { wait: { for: 'exit' } })
  const before = await look()
  expect(before.session).toMatchObject({ status: 'failed', exit_code: 3, last_message: 'It ended with exit code 3.' })
  expect(before.screen).toMatch(/3000\nlast words$/)
  expect(before.log['log']).toMatch(/^2999\n3000\nlast words$/)
  expect(before.found['match_count']).toBe(1)

  await hub.restart('SIGTERM')
  expect(await look()).toEqual(before)
  await hub.restart('SIGKILL')
  expect(await look()).toEqual(before)
  expect(await failureOf(hub, 'send_text', { session: 'ended', text: 'x' })).toMatch(/has ended/)

  async function look() {
    return {
      session: await sessionOf(hub, 'ended'),
      screen: await screenOf(hub, 'ended'),
      coloured: await hub.call('read_screen', { session: 'ended', include_attributes: true }),
      log: await hub.call('tail_log', { name: 'ended', lines: 3 }),
      raw: await hub.call('tail_log', { name: 'ended', lines: 3, raw: true }),
      found: await until(async () => {
        const found = await hub.call('search_scrollback', { session: 'ended', pattern: '^77$' })
        return found['stopped_by'] === undefined && found
      }),
      above: await hub.call('read_scrollback', { session: 'ended', offset: 2_900, count: 100 }),
    }
  }
})

test('the next hub records the end of a session that ended without a hub', async () => {
  const session = await start(hub, 'orphan', 'until [ -e go ]; do sleep 0.05; done; echo the end; exit 5')
  await hub.end('SIGKILL')
  writeFileSync(join(session.workspace_path, 'go'), '')
  await expect.poll(() => holderInfoOf(session).exit, patience).toMatchObject({ code: 5 })
  await hub.restart('SIGKILL')
  await expect.poll(() => sessionOf(hub, 'orphan'), patience).toMatchObject({ status: 'failed', exit_code: 5 })
  expect(await screenOf(hub, 'orphan')).toBe('the end')
})

test('a session whose holder is gone shows its last screen and says so', async () => {
  const living = await start(hub, 'lost', 'echo still here; cat', { wait: { for: 'text', value: 'still here' } })
  process.kill(holderInfoOf(living).pid, 'SIGKILL')
  const lost = { status: 'failed', last_message: expect.stringMatching(/held its terminal is gone/) }
  await expect.poll(() => sessionOf(hub, 'lost'), patience).toMatchObject(lost)
  expect(await screenOf(hub, 'lost')).toBe('still here')

  const other = await start(hub, 'lost-later', 'echo here too; cat', { wait: { for: 'text', value: 'here too' } })
  await hub.end('SIGKILL')
  process.kill(holderInfoOf(other).pid, 'SIGKILL')
  await hub.restart('SIGKILL')
  await expect.poll(() => sessionOf(hub, 'lost-later'), patience).toMatchObject(lost)
  expect(await screenOf(hub, 'lost-later')).toBe('here too')
  expect(await failureOf(hub, 'send_text', { session: 'lost-later', text: 'x' })).toMatch(/is gone.*can still be read/)
  // Its name is free again.
  expect(await start(hub, 'lost-later', 'cat')).toMatchObject({ status: 'running' })
})

test('a removed session leaves only its workspace', async () => {
  const { id, workspace_path, log_path } = await start(hub, 'gone', 'echo kept > file; cat')
  await expect.poll(() => readFileSync(join(workspace_path, 'file'), 'utf8')).toBe('kept\n')
  await hub.call('kill_session', { name: 'gone', remove: true })
  expect(await failureOf(hub, 'get_session', { name: id })).toMatch(/list_sessions/)
  expect(() => readFileSync(join(log_path, '0000000000000000.raw'))).toThrow('ENOENT')
  expect(readFileSync(join(workspace_path, 'file'), 'utf8')).toBe('kept\n')
})

/** The file that the holder writes for later hubs. */
function holderInfoOf({ log_path }: Session): { readonly pid: number; readonly exit?: { readonly code: number } } {
  return JSON.parse(readFileSync(join(log_path, '..', 'holder.json'), 'utf8')) as ReturnType<typeof holderInfoOf>
}
