/** Attached as a person is: a real hub, a real session, a real terminal. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { personAt } from '../../../test/fixtures/person.ts'
import type { Person, PersonOptions } from '../../../test/fixtures/person.ts'
import { textOn } from '../../../test/fixtures/screen-with.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { HubProcess } from '../../../test/harness/hub-process.ts'
import { startHubProcess } from '../../../test/harness/hub-process.ts'
import { callTool } from '../../../test/harness/modern-call.ts'

test('what the program prints is seen, what is typed reaches it, and Ctrl-] leaves both as they were', async () => {
  const { hub, env } = await hubWith('work', 'bash --norc')
  const person = await attach('work', { env, before: 'my own line\r\n$ ' })
  await person.sees('bash-')
  person.type('echo "typed $((40+2))"\r')
  await person.sees('typed 42')

  person.type('\x1d')
  expect(await person.exit).toBe(0)
  expect(textOn(person.screen)).toMatch(/^my own line\n\$ .*Left work; it goes on\./)
  expect(person.screen.modes).toMatchObject({ alternateScreen: false, bracketedPaste: false, mouse: 'none' })
  expect(await callTool(hub, 'get_session', { name: 'work' })).toMatchObject({ status: 'running' })
})

async function attach(name: string, options: PersonOptions, ...flags: string[]): Promise<Person> {
  return personAt(['attach', name, ...flags], options)
}

interface Place {
  readonly hub: HubProcess
  readonly home: string
  readonly env: Readonly<Record<string, string>>
}

async function hubWith(name: string, command: string): Promise<Place> {
  const home = temporaryDirectory()
  const hub = await startHubProcess({ home })
  onTestFinished(async () => {
    await callTool(hub, 'kill_session', { name }).catch(() => {})
    await hub.end('SIGKILL')
  })
  await callTool(hub, 'create_session', { name, template: 'shell', command, working_dir: home })
  return { hub, home, env: { SIGNALBOX_HOME: home, SIGNALBOX_PORT: '0' } }
}
