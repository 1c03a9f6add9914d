/** A test run does not change the home of the person who runs it. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from './worlds/held-program.ts'
import { testTerminals, untilEnded, untilShown } from './worlds/terminals.ts'
import { patience } from './worlds/own-hub.ts'
import { screenOf, sessionOf, startSessionHub } from './worlds/session-hub.ts'

const persons = userInfo().homedir

test('the home of a test run is not the person’s home', () => {
  expect(process.env['HOME']).toMatch(/signalbox-home-/)
  expect(homedir()).not.toBe(persons)
})

test('a shell in a session has no history and has the locale of the test run', async () => {
  await using hub = await startSessionHub()
  await hub.call('create_session', { name: 'shell', command: 'bash', args: ['-i'] })
  const line = `echo ${randomUUID()} "<$HOME|$HISTFILE|$LANG|$LC_ALL>"`
  await hub.call('send_text', { session: 'shell', text: `${line}; exit\n` })
  await expect.poll(() => sessionOf(hub, 'shell'), patience).toMatchObject({ status: 'completed' })
  expect(await screenOf(hub, 'shell')).toContain(`<${homedir()}||C.UTF-8|>`)
  expectNoTrace(line)
})

test('a shell that a fixture starts without a hub has no history', async () => {
  const terminal = await testTerminals().start('t', shellLine('exec bash --norc -i'))
  await untilShown(terminal, 'bash-')
  const line = `echo ${randomUUID()}`
  terminal.write(Buffer.from(`${line}; exit\r`))
  await untilEnded(terminal)
  expectNoTrace(line)
})

function expectNoTrace(line: string): void {
  expect(readdirSync(homedir())).not.toContain('.bash_history')
  const history = join(persons, '.bash_history')
  expect(existsSync(history) && readFileSync(history, 'utf8').includes(line)).toBe(false)
}
