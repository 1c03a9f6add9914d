import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellLine } from '../../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { TestTerminals } from '../../../test/worlds/terminals.ts'
import { shownOn, testTerminals, untilEnded, untilShown } from '../../../test/worlds/terminals.ts'
import type { TestTmux } from '../../../test/fixtures/tmux-server.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'
import { until } from '../../../test/fixtures/until.ts'
import type { Terminal } from '../live-terminal.ts'
import { findTarget } from './pane-target.ts'

/** Starts a program as a person would, and waits until the pane shows this text. */
async function startAsPerson(server: TestTmux, line: string, shows: string): Promise<void> {
  await server.run('new-session', '-d', '-s', 'work', '-x', '60', '-y', '12', '/bin/sh', '-c', line)
  await until(async () => (await server.run('capture-pane', '-p', '-t', 'work')).includes(shows))
}

async function take(server: TestTmux, terminals: TestTerminals, target = 'work'): Promise<Terminal> {
  const { pane } = await findTarget(server.access, target)
  if (!pane) throw new Error(`There is no pane ${target}.`)
  return server.ends(await terminals.start('taken', { ...pane.size, tmux: { ...server.access, pane: pane.id } }))
}

tmux.describe('an adopted pane', () => {
  test('shows its screen, scrollback and cursor, and continues', async () => {
    const server = tmuxServer()
    const line = String.raw`stty -echo; seq 1 40; printf '\033[1;31mred\033[0m plain\n\033[44m  \033[K\nblue\033[0m\n漢字 > '; while read line; do echo "<$line>"; done; exit 4`
    await startAsPerson(server, line, '漢字 >')
    const before = await server.run('capture-pane', '-p', '-t', 'work')
    const terminal = await take(server, testTerminals())
    const { screen } = terminal
    expect(terminal.size).toEqual({ cols: 60, rows: 12 })
    await until(() => shownOn(terminal) === before)
    expect(`${screen.cursor().column},${screen.cursor().row}`).toBe(
      await server.run('display-message', '-p', '-t', 'work', '#{cursor_x},#{cursor_y}'),
    )
    expect(String(screen.scrollbackLength)).toBe(
      await server.run('display-message', '-p', '-t', 'work', '#{history_size}'),
    )
    const red = screen.rows().findIndex(({ text }) => text.startsWith('red plain'))
    expect(screen.cell(red, 0).style).toMatchObject({ bold: true })
    expect(screen.cell(red, 4).style).toMatchObject({ bold: false })
    // The background of one line must not continue on later lines.
    expect(screen.cell(red + 3, 30).style).toEqual(screen.cell(red, 30).style)
    terminal.write(Buffer.from('typed\r'))
    await untilShown(terminal, '<typed>')
    const after = await server.run('capture-pane', '-p', '-t', 'work')
    await until(() => shownOn(terminal) === after)
    terminal.write(Buffer.from('\x04'))
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 4, signal: null })
  })

  test('rewraps wrapped lines after a resize', async () => {
    const server = tmuxServer()
    const words = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
    await startAsPerson(server, `stty -echo; echo "${words}"; read x`, 'word29')
    const terminal = await take(server, testTerminals())
    terminal.resize({ cols: 200, rows: 12 })
    await until(() => shownOn(terminal) === words)
  })

  test('shows the alternate screen, and the normal one after it', async () => {
    const server = tmuxServer()
    const line = String.raw`stty -echo; seq 1 20; echo normal; printf '\033[?1049h\033[2J\033[Hfull screen\033[?1h\033[?25l'; read x; printf '\033[?1049l'; read x`
    await startAsPerson(server, line, 'full screen')
    const terminal = await take(server, testTerminals())
    await until(() => shownOn(terminal) === 'full screen')
    expect(terminal.screen.modes).toMatchObject({ applicationCursor: true })
    expect(terminal.screen.cursor().isVisible).toBe(false)
    terminal.write(Buffer.from('\r'))
    await untilShown(terminal, 'normal')
    expect(shownOn(terminal)).toBe(await server.run('capture-pane', '-p', '-t', 'work'))
    expect(terminal.screen.scrollbackLength).toBeGreaterThan(5)
  })

  test('is resized within its window, and the output of its neighbour is ignored', async () => {
    const server = tmuxServer()
    await startAsPerson(server, 'echo left; read x', 'left')
    await server.run('split-window', '-h', '-t', 'work', '/bin/sh', '-c', 'while sleep 0.02; do echo right; done')
    const terminal = await take(server, testTerminals(), 'work:0.0')
    terminal.resize({ cols: 20, rows: 12 })
    await untilShown(terminal, 'left')
    await until(() => terminal.size.cols === 20)
    expect(await server.run('display-message', '-p', '-t', 'work', '#{window_width}')).toBe('60')
    expect(shownOn(terminal)).toBe('left')
  })

  test('ends with a reason when a person closes it', async () => {
    const server = tmuxServer()
    await server.run('new-session', '-d', '-s', 'other')
    await startAsPerson(server, 'echo up; read x', 'up')
    const terminal = await take(server, testTerminals())
    await server.run('kill-session', '-t', 'work')
    expect(await untilEnded(terminal)).toMatchObject({
      is: 'exited',
      code: null,
      reason: expect.stringContaining('closed'),
    })
  })

  test('ends on a signal', async () => {
    const server = tmuxServer()
    await startAsPerson(server, 'echo up; exec sleep 100', 'up')
    const terminal = await take(server, testTerminals())
    terminal.signal('SIGTERM')
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: null, signal: 'SIGTERM' })
    await until(async () => (await server.run('list-sessions').catch(() => '')) === '')
  })

  test('closes when its program ends, even without a holder', async () => {
    const server = tmuxServer()
    await startAsPerson(server, 'echo up; read x', 'up')
    const terminal = await take(server, testTerminals())
    if (terminal.status.is === 'running') process.kill(terminal.status.holderPid, 'SIGKILL')
    expect(await untilEnded(terminal)).toEqual({ is: 'lost' })
    await server.run('send-keys', '-t', 'work', 'Enter')
    await until(async () => {
      // tmux may have missed the end of the program (tmux issue 4559), and looks again when another child ends.
      await server.run('run-shell', ':').catch(() => {})
      return (await server.run('list-sessions').catch(() => '')) === ''
    })
  })
})

tmux.describe('a directory with special characters in its name', () => {
  test('works for the program and for the holder', async () => {
    const server = tmuxServer()
    const directory = join(temporaryDirectory(), `it's #{pane_id} 100% "of" $HOME; \\ ü`)
    mkdirSync(directory)
    const terminals = testTerminals({ directory })
    const program = { ...shellLine('pwd; read x; exit 3'), cwd: directory, cols: 200 }
    const spec = { ...program, tmux: { ...server.access, session: 'odd' } }
    const terminal = server.ends(await terminals.start('odd', spec))
    await untilShown(terminal, directory)
    terminal.write(Buffer.from('\r'))
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 3 })
  })
})
