import { expect, test } from 'vitest'
import { shellLine } from '../../../test/fixtures/held-program.ts'
import { testTerminals, untilEnded, untilShown } from '../../../test/fixtures/terminals.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'

tmux.describe('a program in tmux', () => {
  test('shows what it prints, and takes what is typed', async () => {
    const server = tmuxServer()
    const program = { ...shellLine('printf "name? "; read name; echo "hello $name"; read x; exit 3'), tmux: { ...server.access, session: 'ask' } }
    const terminal = await testTerminals().start('t', program)
    await untilShown(terminal, 'name?')
    terminal.write(Buffer.from('Ada\r'))
    expect(await untilShown(terminal, 'hello Ada')).toBe('name? Ada\nhello Ada')
    expect(await server.run('capture-pane', '-p', '-t', 'ask')).toBe('name? Ada\nhello Ada')
    terminal.write(Buffer.from('\r'))
    expect(await untilEnded(terminal)).toMatchObject({ is: 'exited', code: 3, signal: null })
  })
})
