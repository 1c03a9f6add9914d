/** A template whose prefix changes the user. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requires } from './harness/requires.ts'
import { patience } from './worlds/own-hub.ts'
import { screenOf, sessionOf, startSessionHub } from './worlds/session-hub.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65534

requires('setpriv').describe('an agent that runs as another user', () => {
  test.runIf(isRoot)('has its own token, cannot read the person’s token, and can be killed', async () => {
    await using hub = await startSessionHub()
    const own = 'case $SIGNALBOX_TOKEN in sb_agent_*) echo "user $(id -u) has a token";; esac'
    const command = `${own}; cat ${join(hub.home, 'token')} || echo kept out; cat`
    const prefix = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']
    const template = { name: 'other', command, prefix, working_dir: '/', env: { HOME: '/' } }
    await hub.call('save_template', { payload: template })
    await hub.call('create_session', { name: 'agent', template: 'other' })
    await expect.poll(() => screenOf(hub, 'agent'), patience).toMatch(/^user 65534 has a token\n[^]*kept out$/)
    await hub.call('kill_session', { name: 'agent' })
    expect(await sessionOf(hub, 'agent')).toMatchObject({ status: 'stopped' })
  })
})
