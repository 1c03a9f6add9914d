import { expect, test } from 'vitest'
import { unwrapShell } from './unwrap-shell.ts'

test.each([
  ["/bin/bash -lc 'touch q'", 'touch q'],
  ['/bin/bash -lc ls', 'ls'],
  ["/bin/zsh -c 'a'\\''b'", "a'b"],
  [`bash -lc "echo 'it'; echo \\"\\$HOME\\""`, `echo 'it'; echo "$HOME"`],
  ["/bin/bash -lc 'two\nlines'", 'two\nlines'],
])('the command inside %s is judged', (command, inner) => {
  expect(unwrapShell(command)).toBe(inner)
})

test.each(["/usr/local/bin/bash -lc 'ls -l'", "/opt/homebrew/bin/zsh -lc 'ls -l'"])(
  'the command inside %s, a shell in another system folder, is judged',
  (command) => {
    expect(unwrapShell(command)).toBe('ls -l')
  },
)

test.each([
  "/project/bash -lc 'git status'",
  './sh -c ls',
  'bin/zsh -lc ls',
  '/project/usr/bin/bash -lc ls',
  '/bin/../project/bash -lc ls',
])('%s runs a program that may be the agent’s own, so it is judged as a whole', (command) => {
  expect(unwrapShell(command)).toBe(command)
})

test.each(['git push', "/bin/bash -lc 'a' 'b'", "python -c 'print(1)'", "/bin/bash -lc 'unfinished"])(
  '%s is not a wrapped command, so it stays as it is',
  (command) => {
    expect(unwrapShell(command)).toBe(command)
  },
)
