import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { signalboxProgram } from '../../base/package-files.ts'
import { renderUnit } from '../service/service-unit.ts'
import { checkServiceUnit } from './service-unit.ts'

const right = renderUnit({ bin: signalboxProgram, searchPath: '/usr/bin', scope: { is: 'user' } })

test('says how to install a unit when there is none', () => {
  expect(checkServiceUnit({ env: { HOME: temporaryDirectory() }, bin: signalboxProgram })).toMatchObject([
    { is: 'note', advice: expect.stringContaining('signalbox service install') },
  ])
})

test('accepts the unit that install writes', () => {
  expect(checkWith(right)).toMatchObject([{ is: 'ok' }])
})

test.each([
  ['KillMode=control-group', right.replace('KillMode=process', 'KillMode=control-group')],
  ['no KillMode', right.replace('KillMode=process', '')],
])('reports a unit with %s, because terminals would die with the hub', (_, text) => {
  expect(checkWith(text)).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining('systemd kills every terminal when the hub stops'),
      mend: expect.stringContaining('signalbox service install --force'),
    },
  ])
})

test('reports a unit of another installation', () => {
  expect(checkWith(right.replace(signalboxProgram, process.execPath))).toMatchObject([
    { is: 'broken', says: expect.stringContaining(`starts ${process.execPath}, which is another installation`) },
  ])
})

test('reports a unit whose program does not exist', () => {
  expect(checkWith(right.replace(signalboxProgram, '/gone/bin/signalbox'))).toMatchObject([
    { is: 'broken', says: expect.stringContaining('/gone/bin/signalbox, which does not exist') },
  ])
})

test('notes that the unit does not find an agent that the person has', () => {
  const bin = temporaryDirectory()
  writeFileSync(join(bin, 'opencode'), '#!/bin/sh\n', { mode: 0o755 })
  expect(checkWith(right, { PATH: bin })).toMatchObject([
    { is: 'ok' },
    { is: 'note', says: expect.stringContaining('does not find opencode, which your PATH finds') },
  ])
})

function checkWith(text: string, env: { PATH?: string } = {}) {
  const configHome = temporaryDirectory()
  const path = join(configHome, 'systemd/user/signalbox.service')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return checkServiceUnit({ env: { PATH: '/usr/bin', XDG_CONFIG_HOME: configHome, ...env }, bin: signalboxProgram })
}
