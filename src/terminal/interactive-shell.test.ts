import { expect, test } from 'vitest'
import { isInteractiveShell } from './interactive-shell.ts'

test.each([
  'bash',
  '-zsh',
  '/bin/bash -l',
  '/bin/bash --norc --noprofile -i',
  'bash --rcfile /etc/other',
  'zsh -o vi -l',
  'bash +O extglob',
  'fish -C date',
  'sh -s one two',
])('"%s" is an interactive shell', (line) => {
  expect(isInteractiveShell(line.split(' '))).toBe(true)
})

test.each([
  '',
  'sleep 1000',
  'python3',
  'ssh host',
  '/bin/sh -c date',
  'bash -lc date',
  'bash -i -c date',
  'fish --command=date',
  'bash build.sh',
  'bash -x build.sh',
  'bash --rcfile /etc/other build.sh',
])('"%s" is not an interactive shell', (line) => {
  expect(isInteractiveShell(line.split(' '))).toBe(false)
})
