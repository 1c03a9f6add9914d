/** Attaches as a person does: to a real hub with real sessions, from a real terminal. */
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Person, PersonOptions } from '../../../test/fixtures/person.ts'
import { personAt } from '../../../test/fixtures/person.ts'
import type { HubProcess } from '../../../test/worlds/hub-process.ts'
import { startHubProcess } from '../../../test/worlds/hub-process.ts'
import { callTool } from '../../../test/harness/modern-call.ts'
import type { TempHome } from '../../../test/harness/temp-home.ts'
import { createTempHome } from '../../../test/harness/temp-home.ts'

const askingProgram = fileURLToPath(new URL('../../../test/fixtures/asking-program.ts', import.meta.url))

let home: TempHome
let hub: HubProcess
beforeAll(async () => {
  home = await createTempHome()
  hub = await startHubProcess({ home: home.path })
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

describe('a person who is attached to a session', () => {
  test('sees its output and types into it, and Ctrl-] restores their terminal', async () => {
    await startSession('work', 'bash --norc')
    const person = await attach('work', { before: 'my own line\r\n$ ' })
    await person.sees('bash-')
    person.type('echo "typed $((40+2))" \x1b[D é漢😀\r')
    await person.sees('typed 42')

    person.type('\x1d')
    expect(await person.exit).toBe(0)
    expect(person.screen.text()).toMatch(/^my own line\n\$ *Detached from work, which keeps running\./)
    expect(person.screen.modes).toMatchObject(untouched)
    expect(await statusOf('work')).toBe('running')
  })

  test.each([
    [[], false],
    [['--clipboard'], true],
  ])('with the flags %j, lets its program set the clipboard: %s', async (flags, isSet) => {
    const name = isSet ? 'copies' : 'copies-not'
    await startSession(name, `echo ready; read line; printf '\\e]52;c;aGk=\\a'; echo copied; cat`)
    const person = await attach(name, {}, ...flags)
    await person.sees('ready')
    person.type('\r')
    await person.sees('copied')
    expect(person.output.includes(']52;')).toBe(isSet)
  })

  test('does not answer the questions of its program to the terminal, because the hub does', async () => {
    await startSession('asks', `"${process.execPath}" "${askingProgram}"`)
    const person = await attach('asks')
    await person.sees('ready')
    person.type('\r')
    await person.sees(/got .*11;rgb/)
    person.type('x')
    await person.sees('got "x"')
    const got = person.screen.text().match(/\[0n|\[\?1;2c|11;rgb/g)
    expect(got).toEqual(['[0n', '[?1;2c', '11;rgb'])
    expect(person.answers).toBe('')
  })

  test('keeps their scrollback, modes and title when its program resets the terminal', async () => {
    await startSession('wild', 'bash --norc')
    const above = Array.from({ length: 40 }, (_, line) => `mine ${line}\r\n`).join('')
    const person = await attach('wild', { before: above })
    await person.sees('bash-')
    person.type(
      `echo before; printf '\\e[?1049h\\e[H\\e[2Jon the other screen\\e[?1000h\\e[?2004h'; read -rs -n1; printf '\\e[?1049l'\r`,
    )
    await person.sees(/^on the other screen/)
    person.type('x')
    await person.sees(/\nbefore\nbash-/)
    person.type(
      `printf '\\ec\\e[3Jreset\\n'; clear; tabs -4; printf '\\e]2;theirs\\a\\e]11;#123456\\a'; echo cleared\r`,
    )
    await person.sees(/^cleared/m)
    expect(person.screen.modes.alternateScreen).toBe(true)

    person.type('\x1d')
    await person.exit
    const lines = [...person.screen.scrollback(), ...person.screen.rows()].map(({ text }) => text)
    expect(lines.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, line) => `mine ${line}`))
    expect(lines[40]).toMatch(/^Detached from wild/)
    expect(person.screen.modes).toMatchObject(untouched)
    expect(person.screen.colours.background).toBe('#000000')
    expect(person.screen.title).toBe('')
  })

  test('gives it the size of their window, and each new size', async () => {
    await startSession('sized', 'bash --norc')
    const person = await attach('sized', { size: { cols: 70, rows: 20 } })
    await person.sees('bash-')
    person.type('stty size\r')
    await person.sees('20 70')
    person.resize({ cols: 90, rows: 30 })
    await vi.waitFor(
      async () =>
        expect(await callTool(hub, 'get_session', { name: 'sized' })).toMatchObject({ size: { cols: 90, rows: 30 } }),
      slowly,
    )
    person.type('stty size\r')
    await person.sees('30 90')
  })

  test('is back at their shell when its program ends, and sees the exit code', async () => {
    await startSession('ends', 'bash --norc')
    const person = await attach('ends')
    await person.sees('bash-')
    person.type('exit 3\r')
    expect(await person.exit).toBe(0)
    expect(person.screen.text()).toContain('ends has ended with exit code 3.')
    expect(person.screen.modes).toMatchObject(untouched)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)('gets their terminal back after a %s', async (signal) => {
    const name = `ended-by-${signal.toLowerCase()}`
    await startSession(name, 'bash --norc')
    const person = await attach(name, { before: 'mine' })
    await person.sees('bash-')
    process.kill(person.pid, signal)
    expect(await person.exit).toBe(signal === 'SIGTERM' ? 143 : 129)
    expect(person.screen.text()).toBe('mine')
    expect(person.screen.modes).toMatchObject(untouched)
    expect(await statusOf(name)).toBe('running')
  })

  test('can choose another detach key', async () => {
    await startSession('key', 'echo ready; cat -v')
    const person = await attach('key', {}, '--detach-key', '^q')
    await person.sees('ready')
    person.type('\x1d\r')
    await person.sees('^]')
    person.type('\x11')
    expect(await person.exit).toBe(0)
  })
})

describe('when several people attach', () => {
  test('one of them types, and the next one learns how to watch or take over', async () => {
    await startSession('shared', 'bash --norc')
    const first = await attach('shared')
    await first.sees('bash-')
    const refused = await attach('shared')
    expect(await refused.exit).toBe(1)
    expect(refused.screen.text().replaceAll('\n', '')).toMatch(/is typing in shared\. Attach with --take-over/)

    const second = await attach('shared', {}, '--take-over')
    await second.sees('bash-')
    await first.sees(/is typing now\. Enter takes over, Ctrl-\] detaches\./)
    second.type('echo "from the $((1+1))nd"\r')
    await first.sees('from the 2nd')
    first.type('x')
    first.type('\r')
    await second.sees(/is typing now\. Enter takes over/)
    first.type('echo "back $((3*3))"\r')
    await first.sees('back 9')
    expect(first.screen.text()).not.toContain('xecho')
  })

  test('watchers follow it in a window of any size, and cannot type', async () => {
    await startSession('watched', 'bash --norc')
    const writer = await attach('watched', { size: { cols: 100, rows: 30 } })
    await writer.sees('bash-')
    const watcher = await attach('watched', { size: { cols: 40, rows: 10 } }, '--read-only')
    await watcher.sees('bash-')
    watcher.type('echo no\r')
    await watcher.sees('You are watching watched.')
    await vi.waitFor(() => expect(watcher.screen.text()).not.toContain('You are watching'), slowly)
    writer.type('seq 1 50; printf "\\e[31mred\\e[m\\n"\r')
    await watcher.sees(/49\n50\nred\nbash/)
    const red = watcher.screen.rows().findIndex(({ text }) => text === 'red')
    expect(watcher.screen.cell(red, 0).style.foreground).toBe('#cc0000')
    watcher.resize({ cols: 100, rows: 30 })
    await watcher.sees(/30\n31\n/)
    expect(writer.screen.text()).not.toContain('echo no')
    watcher.type('\x1d')
    expect(await watcher.exit).toBe(0)
  })
})

test('attach waits for a killed hub, and finds the restarted one at its new address', async () => {
  await startSession('survivor', 'bash --norc')
  const person = await attach('survivor')
  await person.sees('bash-')
  await hub.end('SIGKILL')
  await person.sees('The hub does not answer. Waiting for it. Ctrl-] detaches.')

  hub = await startHubProcess({ home: home.path })
  await vi.waitFor(() => expect(person.screen.text()).not.toContain('Waiting for it'), slowly)
  person.type('echo "still $((6*7))"\r')
  await person.sees('still 42')
  person.type('\x1d')
  expect(await person.exit).toBe(0)
})

const untouched = {
  alternateScreen: false,
  applicationCursor: false,
  applicationKeypad: false,
  bracketedPaste: false,
  mouse: 'none',
}

const slowly = { timeout: 60_000, interval: 50 }

function attach(name: string, options: Partial<PersonOptions> = {}, ...flags: string[]): Promise<Person> {
  const env = { SIGNALBOX_HOME: home.path, SIGNALBOX_PORT: '0' }
  return personAt(['attach', name, ...flags], { env, ...options })
}

async function startSession(name: string, command: string): Promise<void> {
  await callTool(hub, 'create_session', { name, template: 'shell', command, working_dir: '/' })
  onTestFinished(async () => void (await callTool(hub, 'kill_session', { name })))
}

async function statusOf(name: string): Promise<unknown> {
  const { status } = await callTool(hub, 'get_session', { name })
  return status
}
