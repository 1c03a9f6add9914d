import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../test/fixtures/temporary-directory.ts'
import { checkConfiguration } from './configuration.ts'

test('accepts a configuration that loads', () => {
  const { findings, loaded } = checkConfiguration({ flags: {}, env: { SIGNALBOX_HOME: temporaryDirectory() } })
  expect(findings).toMatchObject([{ is: 'ok', says: expect.stringContaining('1 of ') }])
  expect(loaded).toBeDefined()
})

test('reports each error with its place', () => {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'config.yaml'), 'prot: 1\nlog_level: loud\n')
  const { findings, loaded } = checkConfiguration({ flags: {}, env: { SIGNALBOX_HOME: home } })
  expect(findings).toMatchObject([
    { is: 'broken', says: expect.stringContaining(`${home}/config.yaml:1: there is no setting "prot"`) },
    { is: 'broken', says: expect.stringContaining(`${home}/config.yaml:2, log_level, is "loud"`) },
  ])
  expect(loaded).toBeUndefined()
})

test('notes an unknown variable', () => {
  const env = { SIGNALBOX_HOME: temporaryDirectory(), SIGNALBOX_PROT: '1' }
  expect(checkConfiguration({ flags: {}, env }).findings[1]).toMatchObject({
    is: 'note',
    says: expect.stringContaining('Did you mean SIGNALBOX_PORT?'),
  })
})
