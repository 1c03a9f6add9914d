/** Jobs that are agents: a template and a prompt instead of a command. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSessionTools } from '../../test/fixtures/session-tools.ts'
import { useSqliteWorld, useWorld } from '../../test/worlds/session-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import type { Session } from '../api/session.ts'

const patience = { timeout: 60_000 }
const agent = {
  name: 'agent',
  command: 'sh',
  args: ['-c', `printf 'ready> '; read -r line; echo "$line, $1, $PWD" > noted; echo noted`, 'agent', '{agent_args}'],
  prompt: { ready: 'ready>', quiet_ms: 0 },
}

describeOnEachEngine('a job with a prompt', (open) => {
  test('keeps its prompt and directory in the queue over a restart, and gets both in its turn', async () => {
    const world = useWorld(await open(), [agent], { jobConcurrency: 0 })
    const directory = join(world.home, 'project')
    mkdirSync(directory)
    const { call } = openSessionTools(world.sessions)
    const spec = { name: 'review', template: 'agent', agent_args: ['--fast'], prompt: 'look', working_dir: directory }
    expect(await call('enqueue_one_off', spec)).toMatchObject({ status: 'queued', workspace_path: directory })
    expect(await call('list_jobs')).toMatchObject({ jobs: [{ session: 'review', prompt: 'look' }] })
    const sessions = await world.restart({ jobConcurrency: 1 })
    await expect.poll(async () => (await sessions.find('review')).status, patience).toBe('completed')
    expect(readFileSync(join(directory, 'noted'), 'utf8')).toBe(`look, --fast, ${directory}\n`)
  })
})

test('a prompt that a job could not deliver is its last message', async () => {
  const deaf = { name: 'deaf', command: 'cat', prompt: { ready: 'never', fallback_ms: 0 } }
  const { sessions } = await useSqliteWorld([deaf])
  const { call } = openSessionTools(sessions)
  await call('enqueue_one_off', { name: 'unheard', template: 'deaf', prompt: 'hello?' })
  const said = async () => (await call<Session>('get_session', { name: 'unheard' })).last_message
  await expect.poll(said, patience).toMatch(/^The prompt was not delivered: /)
})

test('a job without a template uses the default agent for a prompt, and needs a command or a prompt', async () => {
  const { sessions } = await useSqliteWorld([agent], { jobConcurrency: 0, defaultTemplate: 'agent' })
  const { call, failure } = openSessionTools(sessions)
  expect(await call('enqueue_one_off', { name: 'asked', prompt: 'look' })).toMatchObject({ template: 'agent' })
  expect(await call('enqueue_one_off', { name: 'told', command: 'true' })).toMatchObject({ template: 'script' })
  expect(await failure('enqueue_one_off', { name: 'empty' })).toBe(
    '"command": write a shell line, or give the "template" of an agent, a "prompt" or both.',
  )
})
