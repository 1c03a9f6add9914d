import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAll, shellLine } from '../../../test/worlds/held-program.ts'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import type { TestTerminals } from '../../../test/worlds/terminals.ts'
import { shownOn, testTerminals, untilEnded, untilShown } from '../../../test/worlds/terminals.ts'
import type { TestTmux } from '../../../test/fixtures/tmux-server.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'
import { until } from '../../../test/fixtures/until.ts'
import type { Terminal } from '../live-terminal.ts'

interface Place {
  readonly server: TestTmux
  readonly terminals: TestTerminals
}

function place(env: Readonly<Record<string, string>> = {}): Place {
  return { server: tmuxServer(env), terminals: testTerminals() }
}

/** Starts a shell command line in a tmux session with the name of the terminal. */
async function start({ server, terminals }: Place, name: string, line: string, env = {}): Promise<Terminal> {
  const program = { ...shellLine(line, env), tmux: { ...server.access, session: name } }
  return server.ends(await terminals.start(name, program))
}

/** Attaches a person from another terminal. */
function attach({ server, terminals }: Place, ...words: readonly string[]): Promise<Terminal> {
  const { program, env } = server.access
  const args = ['attach-session', ...words]
  const spec = { file: program, args, cwd: '/', env: { ...env, TERM: 'xterm-256color' }, cols: 100, rows: 30 }
  return terminals.start(`person-${words.at(-1)}`, spec)
}

tmux.describe('a program in tmux', () => {
  test('shows its output, and gets its input', async () => {
    const here = place()
    const terminal = await start(here, 'ask', 'printf "name? "; read name; echo "hello $name"; read x; exit 3')
    await untilShown(terminal, 'name?')
    terminal.write(Buffer.from('Ada\r'))
    expect(await untilShown(terminal, 'hello Ada')).toBe('name? Ada\nhello Ada')
    expect(await here.server.run('capture-pane', '-p', '-t', 'ask')).toBe('name? Ada\nhello Ada')
    terminal.write(Buffer.from('\r'))
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 3, signal: null })
    await until(async () => (await here.server.run('list-sessions').catch(() => '')) === '')
  })

  test('loses no byte of its output, not even at its end', async () => {
    const here = place()
    const files = temporaryDirectory()
    const names = ['a', 'b', 'c']
    const terminals = await Promise.all(names.map((name) => start(here, name, `seq 1 20000 | tee ${files}/${name}`)))
    for (const [index, terminal] of terminals.entries()) {
      expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 0 })
      const written = readFileSync(join(files, names[index]!), 'latin1').replaceAll('\n', '\r\n')
      expect(readAll(join(terminal.directory, 'journal')).toString('latin1') === written).toBe(true)
    }
  })

  test('gets every typed byte, and its output is unchanged', async () => {
    const here = place()
    const file = join(temporaryDirectory(), 'typed')
    const line = `stty raw -echo; printf ready; head -c 2048 | tee ${file}; printf done; read x`
    const terminal = await start(here, 'bytes', line)
    await untilShown(terminal, 'ready')
    const all = Buffer.from(Array.from({ length: 2048 }, (_, index) => index % 256))
    terminal.write(all)
    const printed = await until(() => {
      const bytes = readAll(join(terminal.directory, 'journal'))
      return bytes.includes('done') && bytes
    })
    expect(readFileSync(file).equals(all)).toBe(true)
    // The only exception is a title in the syntax of tmux and screen.
    const expected = Buffer.concat([Buffer.from('ready'), all, Buffer.from('done')])
    expect(printed.equals(expected)).toBe(true)
  })

  test('gets any text, even text that tmux would read as keys', async () => {
    const here = place()
    const file = join(temporaryDirectory(), 'typed')
    const terminal = await start(here, 'text', `cat > ${file}`)
    const text = 'Enter C-c -n ; #{pane_id} $HOME "q" \\ äöü 漢字 🚀\n'
    terminal.write(Buffer.from(text))
    await until(() => read(file) === text)
    await untilShown(terminal, '漢字 🚀')
  })

  test('has the requested size, and is notified of a resize', async () => {
    const here = place()
    const terminal = await start(here, 'size', 'stty size; while read line; do stty size; done')
    await untilShown(terminal, '24 80')
    terminal.resize({ cols: 101, rows: 33 })
    await until(() => terminal.size.cols === 101 && terminal.size.rows === 33)
    terminal.write(Buffer.from('\r'))
    await untilShown(terminal, '33 101')
  })

  test.each([
    ['SIGTERM', 'sleep 100'],
    ['SIGKILL', 'sleep 100'],
    ['SIGHUP', 'exec sleep 100'],
  ] as const)('ends on %s, which is reported', async (signal, line) => {
    const here = place()
    const terminal = await start(here, 'signal', `echo up; ${line}`)
    await untilShown(terminal, 'up')
    terminal.signal(signal)
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: null, signal })
    expect(shownOn(terminal)).toBe('up')
    await until(async () => (await here.server.run('list-sessions').catch(() => '')) === '')
  })

  test('reports its foreground process and whether it is idle', async () => {
    const here = place()
    const shell = here.server.ends(
      await here.terminals.start('shell', {
        ...shellLine('', { PS1: 'ready> ' }),
        file: '/bin/bash',
        args: ['--norc', '-i'],
        tmux: { ...here.server.access, session: 'shell' },
      }),
    )
    await untilShown(shell, 'ready>')
    expect(await shell.foreground()).toMatchObject({ command: 'bash' })
    expect(await shell.isIdle()).toBe(true)
    shell.write(Buffer.from('sleep 100\r'))
    await until(async () => (await shell.foreground())?.command === 'sleep')
    expect(await shell.isIdle()).toBe(false)
    const plain = await start(here, 'plain', 'exec sleep 200')
    await until(async () => (await plain.foreground())?.cmdline === 'sleep 200')
    expect(await plain.isIdle()).toBe(false)
  })

  test('gets one answer to a question to its terminal', async () => {
    const here = place()
    const line = String.raw`stty raw -echo; printf 'x\033[6n'; head -c 6 | od -An -c; printf ready; head -c 1 | od -An -c; read x`
    const terminal = await start(here, 'asks', line)
    await untilShown(terminal, 'ready')
    terminal.write(Buffer.from('!'))
    expect((await untilShown(terminal, '!')).replaceAll(/\s+/g, ' ')).toContain('033 [ 1 ; 2 R')
  })

  test('sees its own variables and none of the tmux server', async () => {
    const here = place({ SIGNALBOX_TOKEN: 'of-a-person', AWS_SECRET: 'too' })
    await here.server.run('new-session', '-d', '-s', 'before')
    const file = join(temporaryDirectory(), 'env')
    const terminal = await start(here, 'env', `env > ${file}; echo done >> ${file}; read x`, {
      SIGNALBOX_URL: 'http://hub',
      ODD: `a'b"c$d\\e\nf;`,
    })
    const seen = await until(() => read(file).endsWith('done\n') && read(file))
    expect(seen).toContain('SIGNALBOX_URL=http://hub')
    expect(seen).toContain(`ODD=a'b"c$d\\e\nf;\n`)
    expect(seen).not.toMatch(/of-a-person|AWS_SECRET/)
    expect(seen).toMatch(/^TERM=(tmux|screen)/m)
    expect(await here.server.run('show-environment', '-t', 'env')).not.toContain('SIGNALBOX_URL')
    terminal.write(Buffer.from('\r'))
  })

  test('never shows its secrets in a process list', async () => {
    const here = place()
    const secret = `secret-${process.pid}-9d1f`
    let isOver = false
    const leaks: string[] = []
    const watch = (async () => {
      while (!isOver) {
        leaks.push(...processesThatShow(secret))
        await new Promise(setImmediate)
      }
    })()
    const terminal = await start(here, 'secret', 'echo "got $SECRET"; read x', { SECRET: secret })
    await untilShown(terminal, `got ${secret}`)
    isOver = true
    await watch
    expect(leaks).toEqual([])
  })

  test('is refused if tmux already has a session of that name', async () => {
    const here = place()
    await here.server.run('new-session', '-d', '-s', 'taken')
    await expect(start(here, 'taken', 'true')).rejects.toThrow(
      'tmux already has a session "taken". Choose another name',
    )
    expect(await here.server.run('list-sessions', '-F', '#{session_name}')).toBe('taken')
  })
})

tmux.describe('a person at the same session', () => {
  test('sees the same screen, can type, and decides the size while attached', async () => {
    const here = place()
    const terminal = await start(here, 'both', 'while read line; do echo "<$line>"; done')
    const person = await attach(here, '-t', 'both')
    await until(() => terminal.size.cols === 100)
    terminal.write(Buffer.from('from the hub\r'))
    await untilShown(person, '<from the hub>')
    person.write(Buffer.from('from the person\r'))
    await untilShown(terminal, '<from the person>')
    expect(terminal.size).toEqual({ cols: 100, rows: 29 })
    person.write(Buffer.from('\x02d'))
    await untilEnded(person)
    terminal.resize({ cols: 60, rows: 20 })
    await until(() => terminal.size.cols === 60 && terminal.size.rows === 20)
  })

  test('can detach all other clients without disconnecting the hub', async () => {
    const here = place()
    const terminal = await start(here, 'alone', 'while read line; do echo "<$line>"; done')
    terminal.write(Buffer.from('before\r'))
    await untilShown(terminal, '<before>')
    const person = await attach(here, '-d', '-t', 'alone')
    await untilShown(person, '<before>')
    terminal.write(Buffer.from('after\r'))
    await untilShown(person, '<after>')
    expect(await untilShown(terminal, '<after>')).toBe('before\n<before>\nafter\n<after>')
  })

  test('stays in copy mode when the hub types', async () => {
    const here = place()
    const terminal = await start(here, 'back', 'while read line; do echo "<$line>"; done')
    await here.server.run('copy-mode', '-t', 'back')
    terminal.write(Buffer.from('typed\r'))
    await untilShown(terminal, '<typed>')
    expect(await here.server.run('display-message', '-p', '-t', 'back', '#{pane_in_mode}')).toBe('1')
  })

  test('can pipe the output to another program, and the hub continues after that', async () => {
    const here = place()
    const file = join(temporaryDirectory(), 'piped')
    const terminal = await start(here, 'piped', 'while read line; do echo "<$line>"; done')
    await here.server.run('pipe-pane', '-t', 'piped', `cat > ${file}`)
    await here.server.run('send-keys', '-t', 'piped', 'theirs', 'Enter')
    await until(() => read(file).includes('<theirs>'))
    await here.server.run('pipe-pane', '-t', 'piped')
    expect(await untilShown(terminal, '<theirs>')).toBe('theirs\n<theirs>')
    terminal.write(Buffer.from('ours\r'))
    await untilShown(terminal, '<ours>')
  })

  test('can move the window to another session, and the hub follows', async () => {
    const here = place()
    await here.server.run('new-session', '-d', '-s', 'other')
    const terminal = await start(here, 'moves', 'while read line; do echo "<$line>"; done')
    await here.server.run('move-window', '-s', 'moves:', '-t', 'other:9')
    terminal.write(Buffer.from('typed\r'))
    await untilShown(terminal, '<typed>')
    expect(terminal.status.is).toBe('running')
  })
})

tmux.describe('a program in tmux after a failure', () => {
  test('continues with the next hub when its hub has ended', async () => {
    const here = place()
    const first = await start(here, 'stays', 'echo before; read line; echo "<$line>"; read line')
    await untilShown(first, 'before')
    first.release()
    const second = await here.terminals.adopt('stays')
    expect(shownOn(second)).toBe('before')
    second.write(Buffer.from('after\r'))
    await untilShown(second, '<after>')
  })

  test('continues in tmux when its holder was killed, and can be adopted again', async () => {
    const here = place()
    const first = await start(here, 'held', 'echo before; read line; echo "<$line>"; read line; exit 5')
    await untilShown(first, 'before')
    if (first.status.is === 'running') process.kill(first.status.holderPid, 'SIGKILL')
    expect(await untilEnded(first)).toEqual({ is: 'lost' })
    const pane = await here.server.run('list-panes', '-t', 'held', '-F', '#{pane_id}')
    await here.server.run('send-keys', '-t', 'held', 'meanwhile', 'Enter')
    const spec = { cols: 80, rows: 24, tmux: { ...here.server.access, pane } }
    const second = here.server.ends(await here.terminals.start('again', spec))
    expect(await untilShown(second, '<meanwhile>')).toBe('before\nmeanwhile\n<meanwhile>')
    second.write(Buffer.from('\r'))
    expect(await untilEnded(second)).toMatchObject({ is: 'exited', code: 5 })
  })

  test('ends with the tmux server, which is reported as the reason', async () => {
    const here = place()
    const terminal = await start(here, 'gone', 'echo up; read line')
    await untilShown(terminal, 'up')
    await here.server.run('kill-server')
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', reason: expect.stringContaining('tmux server') })
    expect(shownOn(terminal)).toBe('up')
  })
})

function processesThatShow(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(text))
}

/** Empty until the file exists. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
