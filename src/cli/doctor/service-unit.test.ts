import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { binPath } from '../installation.ts'
import { renderUnit } from '../service-unit.ts'
import { checkServiceUnit } from './service-unit.ts'

const right = renderUnit({ bin: binPath, scope: { is: 'user' } })

test('no unit is a note that says how to have one', () => {
  expect(checkServiceUnit({ env: { HOME: temporaryDirectory() }, bin: binPath })).toMatchObject([
    { is: 'note', advice: expect.stringContaining('signalbox service install') },
  ])
})

test('the unit as installed is good', () => {
  expect(checkWith(right)).toMatchObject([{ is: 'ok' }])
})

test.each([
  ['KillMode=control-group', right.replace('KillMode=process', 'KillMode=control-group')],
  ['no KillMode', right.replace('KillMode=process', '')],
])('a unit with %s is to be mended, since terminals would die with the hub', (_, text) => {
  expect(checkWith(text)).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining('every terminal is killed with it'),
      mend: expect.stringContaining('signalbox service install --force'),
    },
  ])
})

test('a unit of another installation is to be replaced', () => {
  expect(checkWith(right.replace(binPath, process.execPath))).toMatchObject([
    { is: 'broken', says: expect.stringContaining(`starts ${process.execPath}, which is another installation`) },
  ])
})

test('a unit whose program is gone is to be replaced', () => {
  expect(checkWith(right.replace(binPath, '/gone/bin/signalbox'))).toMatchObject([
    { is: 'broken', says: expect.stringContaining('/gone/bin/signalbox, which does not exist') },
  ])
})

function checkWith(text: string) {
  const configHome = temporaryDirectory()
  const path = join(configHome, 'systemd/user/signalbox.service')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return checkServiceUnit({ env: { XDG_CONFIG_HOME: configHome }, bin: binPath })
}
