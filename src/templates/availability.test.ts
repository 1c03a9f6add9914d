import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { templateSchema } from '../api/template.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { openTemplatesHere } from '../../test/worlds/open-templates.ts'
import { whyNotAvailable } from './availability.ts'

test('a template whose program is missing says so, and how to install it', async () => {
  const { templates, programs } = await openTemplatesHere()
  expect(templates.find('robot')).toMatchObject({
    available: false,
    whyNot: '"robot" is not installed, or not on the PATH of the hub. To install it: apt install robot',
  })
  addProgram(programs, 'robot')
  expect(templates.find('robot').available).toBe(true)
  expect(templates.find('robot')).not.toHaveProperty('whyNot')
})

test('a file that is not executable and a folder do not count as programs', () => {
  const programs = temporaryDirectory()
  writeFileSync(join(programs, 'tool'), '')
  chmodSync(join(programs, 'tool'), 0o644)
  mkdirSync(join(programs, 'folder'))
  expect(missing({ command: 'tool', args: [] }, programs)).toBe('tool')
  expect(missing({ command: 'folder', args: [] }, programs)).toBe('folder')
})

test.each([
  [{ command: '' }, undefined],
  [{ command: 'tool --flag' }, undefined],
  [{ command: 'LEVEL=1 NAME=x tool' }, undefined],
  [{ command: 'absent --flag' }, 'absent'],
  [{ command: 'LEVEL=1 absent' }, 'absent'],
  // Only a shell can tell which programs these need.
  [{ command: 'cd /tmp && absent' }, undefined],
  [{ command: '$EDITOR notes' }, undefined],
  [{ command: '"my tool" x' }, undefined],
  [{ command: './absent.sh' }, undefined],
  [{ command: '~/bin/absent' }, undefined],
  [{ command: '/nowhere/absent' }, '/nowhere/absent'],
  [{ command: 'a tool', args: [] }, 'a tool'],
  [{ command: 'cd x; tool', requires: 'absent' }, 'absent'],
  [{ command: 'tool', prefix: ['wrapper', '--all'] }, 'wrapper'],
  [{ command: 'tool', backend: 'tmux' }, 'tmux'],
] as const)('finds that %j misses %s', (fields, expected) => {
  const programs = temporaryDirectory()
  addProgram(programs, 'tool')
  expect(missing(fields, programs)).toBe(expected)
})

test('looks for the program on the template’s own PATH', () => {
  const programs = temporaryDirectory()
  addProgram(programs, 'tool')
  expect(missing({ command: 'tool', env: { PATH: programs } }, '/nowhere')).toBeUndefined()
  expect(missing({ command: 'tool', env: { PATH: '/nowhere' } }, programs)).toBe('tool')
})

function missing(fields: object, searchPath: string): string | undefined {
  const template = templateSchema.parse({ name: 'any', ...fields })
  const whyNot = whyNotAvailable(template, { drivers: ['pty'], searchPath, assetDirectories: ['/nowhere'] })
  return whyNot && /^"(.*)" is not installed/.exec(whyNot)?.[1]
}

function addProgram(folder: string, name: string): void {
  writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
}
