import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { findProgram } from './find-program.ts'

test('finds a program as a shell would', () => {
  const here = temporaryDirectory()
  const place = (name: string, mode: number) => {
    writeFileSync(join(here, name), '#!/bin/sh\n')
    chmodSync(join(here, name), mode)
  }
  place('tool', 0o755)
  place('notes', 0o644)
  mkdirSync(join(here, 'folder'))
  expect(findProgram('tool', `/no/such:${here}`, '/')).toBe(join(here, 'tool'))
  expect(findProgram('./tool', '', here)).toBe(join(here, 'tool'))
  expect(findProgram(join(here, 'tool'), '', '/')).toBe(join(here, 'tool'))
  for (const name of ['notes', 'folder', 'nothing']) {
    expect(() => findProgram(name, here, here)).toThrow(/not installed, or not on the hub's PATH/)
    expect(() => findProgram(`./${name}`, here, here)).toThrow(`there is no program at ${join(here, name)}`)
  }
})
