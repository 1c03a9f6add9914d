import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { hide } from './mounts.ts'
import type { Mount } from './mounts.ts'
import { guardedDirectories, programGuards } from './program-guards.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'program-guards-')))
afterAll(() => rmSync(home, { recursive: true }))
const own = { node: '/usr/bin/node', package: '/usr/share/signalbox' }
const at = (path: string) => join(home, path)

function program(path: string): string {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), '#!/bin/sh\n', { mode: 0o755 })
  return at(path)
}

/** With the paths in the home. */
function guarded(mounts: readonly Mount[], files: readonly string[], searchPath = '', workspace?: string) {
  const found = programGuards(mounts, guardedDirectories({ searchPath, files }, own), workspace)
  return found.map(({ is, path }) => `${is} ${path.slice(home.length + 1)}`)
}

const write = (path: string, source = path): Mount => ({ is: 'write', path: at(path), source: at(source) })

test('the directories around a program are mounted too, at each path by which a sandbox shows them', () => {
  const file = program('agent/versions/3/agent')
  symlinkSync('agent', at('link'))
  const around = (name: string) => [`write ${name}/versions`, `read ${name}/versions/3`]
  expect(guarded([write('agent'), write('link', 'agent')], [file])).toEqual([...around('agent'), ...around('link')])
  expect(guarded([write('other')], [file])).toEqual([])
})

test('a directory of the PATH that is missing is covered, with all that would be around it', () => {
  mkdirSync(at('tools'), { recursive: true })
  expect(guarded([write('tools')], [], at('tools/early/bin'))).toEqual(['empty tools/early'])
})

test('a program in a hidden directory does not open that directory', () => {
  const file = program('all/hub/templates/agent')
  const mounts = [write('all')]
  const hidden = hide([at('all/hub')], mounts)
  expect(guarded([...mounts, ...hidden], [file])).toEqual([])
})

test('a workspace has programs of its own, but none of the PATH', () => {
  const file = program('project/agent')
  program('project/tools/git')
  program('project/node_modules/.bin/git')
  const path = [at('project/tools'), at('project/node_modules/.bin')].join(':')
  expect(guarded([write('project')], [file], path, at('project'))).toEqual(['read project/tools'])
  expect(() => guarded([write('project')], [file])).toThrow('programs that are started outside a sandbox')
})
