import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shellLine } from '../../test/worlds/held-program.ts'
import { shownOn, testTerminals, untilEnded, untilShown } from '../../test/worlds/terminals.ts'
import { until } from '../../test/fixtures/until.ts'

describe('a terminal', () => {
  test('shows the output of its program, and passes on input', async () => {
    const terminal = await testTerminals().start(
      't',
      shellLine('printf "name? "; read name; echo "hello $name"; read x'),
    )
    await untilShown(terminal, 'name?')
    terminal.write(Buffer.from('Ada\r'))
    expect(await untilShown(terminal, 'hello Ada')).toBe('name? Ada\nhello Ada')
    expect(terminal.offset).toBe(terminal.screen.offset)
    expect(terminal.firstOffset).toBe(0)
  })

  test('notifies its listeners of output, resizes and the end', async () => {
    const terminal = await testTerminals().start('t', shellLine('read line; echo again; read line; exit 3'))
    const seen: string[] = []
    const stop = terminal.onChange(() => seen.push(`${terminal.size.cols} ${terminal.status.is} ${shownOn(terminal)}`))
    terminal.write(Buffer.from('\r'))
    await until(() => seen.some((entry) => entry.endsWith('again')))
    terminal.resize({ cols: 100, rows: 30 })
    await until(() => seen.some((entry) => entry.startsWith('100 running')))
    terminal.write(Buffer.from('\r'))
    await until(() => seen.some((entry) => entry.startsWith('100 exited')))
    expect(terminal.status).toMatchObject({ is: 'exited', code: 3, signal: null })
    stop()
  })

  test('refuses input after its program has ended', async () => {
    const terminal = await testTerminals().start('t', shellLine('echo done'))
    await untilEnded(terminal)
    expect(() => terminal.write(Buffer.from('x'))).toThrow('The program has ended')
    expect(() => terminal.resize({ cols: 10, rows: 10 })).toThrow('The program has ended')
    expect(shownOn(terminal)).toBe('done')
  })

  test('is listed for other hubs until it has ended', async () => {
    const terminals = testTerminals()
    const terminal = await terminals.start('t', shellLine('read line'))
    expect(terminals.open().mayBeRunning()).toEqual(['t'])
    terminal.write(Buffer.from('\r'))
    await untilEnded(terminal)
    // The holder reports the end before it removes its socket.
    await until(() => terminals.open().mayBeRunning().length === 0)
  })

  test('has a unique id', async () => {
    const terminals = testTerminals()
    await terminals.start('t', shellLine('read line'))
    await expect(terminals.start('t', shellLine('read line'))).rejects.toThrow('There is already a terminal t')
  })
})

describe('an adopted terminal', () => {
  test('continues with its screen, size and scrollback', async () => {
    const terminals = testTerminals()
    const program = shellLine(
      'stty -echo; read go; seq 1 100; printf "\\033[1mready "; while read line; do echo "<$line>"; done',
    )
    const first = await terminals.start('t', program)
    first.resize({ cols: 60, rows: 10 })
    first.write(Buffer.from('go\r'))
    await untilShown(first, 'ready')
    const before = { rows: shownOn(first), cursor: first.screen.cursor(), scrollback: first.screen.scrollbackLength }
    first.release()

    const second = await terminals.adopt('t')
    expect(second.size).toEqual({ cols: 60, rows: 10 })
    expect(second.status.is).toBe('running')
    const { screen } = second
    expect({ rows: shownOn(second), cursor: screen.cursor(), scrollback: screen.scrollbackLength }).toEqual(before)
    second.write(Buffer.from('typed\r'))
    await untilShown(second, 'ready <typed>')
    expect(second.screen.cell(8, 0).style.bold).toBe(true)
  })

  test('shows output that was printed without a hub', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('read line; echo printed alone; read line'))
    first.write(Buffer.from('\r'))
    first.release()
    const second = await terminals.adopt('t')
    await untilShown(second, 'printed alone')
  })

  test('shows its last screen and exit code if its program ended meanwhile', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('read line; echo last words; exit 4'))
    const { status } = first
    first.write(Buffer.from('\r'))
    first.release()
    await until(() => status.is === 'running' && !isAlive(status.holderPid))
    const second = await terminals.adopt('t')
    expect(second.status).toMatchObject({ is: 'exited', code: 4 })
    expect(shownOn(second)).toContain('last words')
    expect(second.offset).toBe(second.screen.offset)
  })

  test('shows its last screen and is lost if its holder was killed', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('echo last words; read line'))
    await untilShown(first, 'last words')
    if (first.status.is === 'running') process.kill(first.status.holderPid, 'SIGKILL')
    expect(await untilEnded(first)).toEqual({ is: 'lost' })
    const second = await terminals.adopt('t')
    expect(second.status).toEqual({ is: 'lost' })
    expect(shownOn(second)).toBe('last words')
    expect(() => second.write(Buffer.from('x'))).toThrow('is gone')
  })

  test('is found by its journal if holder.json and snapshot are damaged', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('echo here; read line'))
    await untilShown(first, 'here')
    first.release()
    for (const file of ['holder.json', 'screen.json']) writeFileSync(join(first.directory, file), '{"format":3,')
    const second = await terminals.adopt('t')
    expect(second.status.is).toBe('running')
    expect(shownOn(second)).toBe('here')
  })

  test('is not lost if holder.json cannot be read', async () => {
    const terminals = testTerminals()
    await terminals.start('t', shellLine('read line'))
    const info = join(terminals.directory, 'terminals', 't', 'holder.json')
    renameSync(info, `${info}.moved`)
    symlinkSync(info, info)
    const elsewhere = terminals.open({ socketDirectory: join(terminals.directory, 'elsewhere') })
    await expect(elsewhere.adopt('t')).rejects.toThrow('ELOOP')
    renameSync(`${info}.moved`, info)
    expect((await elsewhere.adopt('t'))?.status.is).toBe('running')
  })

  test('is saved as a snapshot after drawing, for the next hub', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('echo here; read line'))
    await untilShown(first, 'here')
    first.release()
    const snapshot = join(first.directory, 'screen.json')
    rmSync(snapshot)
    const second = await terminals.adopt('t')
    expect(shownOn(second)).toBe('here')
    second.release()
    expect(JSON.parse(readFileSync(snapshot, 'utf8'))).toMatchObject({ offset: second.offset })
  })

  test('can be released before it is drawn', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('seq 1 100000; echo here; read line'))
    await untilShown(first, 'here')
    first.release()
    const second = await terminals.adopt('t')
    second.release()
    const third = await terminals.adopt('t')
    await untilShown(third, 'here')
  })

  test('is drawn in the background', async () => {
    const terminals = testTerminals()
    const first = await terminals.start('t', shellLine('echo here; read line; echo there; read line'))
    await untilShown(first, 'here')
    first.release()
    const second = await terminals.adopt('t')
    let changes = 0
    second.onChange(() => changes++)
    second.write(Buffer.from('\r'))
    await until(() => changes > 0)
    expect(shownOn(second)).toContain('there')
  })
})

describe('reading output', () => {
  test('returns output after an offset, from memory or from the journal', async () => {
    const terminals = testTerminals()
    const terminal = await terminals.start('t', shellLine('stty -echo; read line; seq 1 200000; read line'))
    terminal.write(Buffer.from('\r'))
    await untilShown(terminal, '200000')
    const end = terminal.offset
    let since = 0
    const pieces: Buffer[] = []
    while (since < end) {
      const { offset, bytes, droppedBytes } = terminal.readOutput(since, 100_000)
      expect({ offset, droppedBytes }).toEqual({ offset: since, droppedBytes: 0 })
      pieces.push(bytes)
      since += bytes.length
    }
    const all = Buffer.concat(pieces).toString()
    expect(all.replace(/^\r\n/, '')).toBe(Array.from({ length: 200_000 }, (_, index) => `${index + 1}\r\n`).join(''))
    expect(terminal.readOutput(end, 10)).toEqual({ offset: end, bytes: Buffer.alloc(0), droppedBytes: 0 })
    // The newest output needs no disk.
    rmSync(join(terminal.directory, 'journal'), { recursive: true })
    expect(terminal.readOutput(end - 8, 100).bytes.toString()).toBe('200000\r\n')
  })

  test('reports how many bytes the journal has dropped', async () => {
    const terminals = testTerminals({ journal: { segmentBytes: 128 * 1024, maxBytes: 512 * 1024 } })
    const terminal = await terminals.start('t', shellLine('seq 1 200000; read line'))
    await untilShown(terminal, '200000')
    const { firstOffset } = terminal
    expect(firstOffset).toBeGreaterThan(500_000)
    // The output in memory may reach further back than such a small journal.
    const { offset, droppedBytes, bytes } = terminal.readOutput(0, 1000)
    expect(droppedBytes).toBe(offset)
    expect(offset).toBeGreaterThan(500_000)
    expect(offset).toBeLessThanOrEqual(firstOffset)
    expect(bytes.length).toBe(1000)
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
