import { expect, test } from 'vitest'
import { checkRuntime } from './runtime.ts'

test('the Node that runs this is good', () => {
  expect(checkRuntime({ nodeVersion: process.version, platform: 'linux' })).toMatchObject([{ is: 'ok' }])
})

test('an older Node is to be replaced, and bin/signalbox brings one', () => {
  expect(checkRuntime({ nodeVersion: 'v20.20.2', platform: 'linux' })).toMatchObject([
    {
      is: 'broken',
      says: expect.stringContaining('v20.20.2 is too old'),
      mend: expect.stringContaining('bin/signalbox'),
    },
  ])
})

test('Windows is told that it is not supported, other systems that they are not the first choice', () => {
  expect(checkRuntime({ nodeVersion: process.version, platform: 'win32' })[1]).toMatchObject({ is: 'broken' })
  expect(checkRuntime({ nodeVersion: process.version, platform: 'darwin' })[1]).toMatchObject({ is: 'note' })
})
