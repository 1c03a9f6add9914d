import { expect, test } from 'vitest'
import { checkRuntime } from './runtime.ts'

test('accepts the Node that runs this test', () => {
  expect(checkRuntime({ nodeVersion: process.version, platform: 'linux' })).toMatchObject([{ is: 'ok' }])
})

test('reports an old Node, and recommends bin/signalbox', () => {
  expect(checkRuntime({ nodeVersion: 'v20.20.2', platform: 'linux' })).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining('v20.20.2 is too old'),
      mend: expect.stringContaining('bin/signalbox'),
    },
  ])
})

test('reports that Windows is not supported, and notes other systems than Linux', () => {
  expect(checkRuntime({ nodeVersion: process.version, platform: 'win32' })[1]).toMatchObject({ is: 'broken' })
  expect(checkRuntime({ nodeVersion: process.version, platform: 'darwin' })[1]).toMatchObject({ is: 'note' })
})
