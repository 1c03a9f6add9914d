import { expect, test } from 'vitest'
import type { Sandbox } from '../api/sandbox.ts'
import type { ChosenFrom } from './choose.ts'
import { chooseSandbox } from './choose.ts'

const sandbox: Sandbox = { write: [], read: [], network: 'all', nested: false }
const listed = { ...sandbox, network: { allow: [] } }
const tools = { bwrap: 'bwrap', env: 'env', filter: 'filter', prlimit: undefined }
const limits = { unlimited: ['memory' as const], placeBytes: 1, makeGroups: () => [] }
const works: ChosenFrom['availability'] = { is: 'available', tools, limits, socat: 'socat' }
const withoutSocat: ChosenFrom['availability'] = { is: 'available', tools, limits, socat: undefined }
const confined = { is: 'confined', sandbox, unlimited: ['memory'] }
const missing: ChosenFrom['availability'] = { is: 'missing', reason: 'bubblewrap is not installed.' }
const shipped = { name: 'claude', sandbox, isSandboxShipped: true }
const plain: ChosenFrom = {
  setting: 'preferred',
  asked: undefined,
  template: shipped,
  backend: 'holder',
  availability: works,
}
const choose = (change: Partial<ChosenFrom>) => chooseSandbox({ ...plain, ...change })
const open = { is: 'open' }

test('a shipped template is confined where that works, and otherwise runs with a warning', () => {
  expect(choose({})).toEqual(confined)
  expect(choose({ availability: missing })).toMatchObject({
    is: 'open',
    warning: expect.stringContaining('bubblewrap is not installed.'),
  })
  expect(choose({ setting: 'off' })).toEqual(open)
})

test('a sandbox that a person named holds under every setting, or the session does not start', () => {
  const own = { ...shipped, isSandboxShipped: false }
  for (const setting of ['required', 'preferred', 'off'] as const) {
    expect(choose({ setting, asked: sandbox })).toEqual(confined)
    expect(choose({ setting, template: own })).toEqual(confined)
    expect(() => choose({ setting, asked: sandbox, availability: missing })).toThrow('does not start. bubblewrap')
    expect(() => choose({ setting, template: own, availability: missing })).toThrow('does not start. bubblewrap')
  }
})

test('a hub that requires sandboxes starts nothing without one', () => {
  const none = { name: 'shell', isSandboxShipped: true }
  expect(() => choose({ setting: 'required', template: none })).toThrow('the template "shell" has none')
  expect(() => choose({ setting: 'required', asked: 'off' })).toThrow('"sandbox" is "off"')
  expect(() => choose({ setting: 'required', availability: missing })).toThrow('does not start')
  expect(choose({ template: none })).toEqual(open)
  expect(choose({ asked: 'off' })).toEqual(open)
})

test('a session whose sandbox cannot be made does not start, and the error says why', () => {
  expect(() => choose({ asked: sandbox, backend: 'tmux' })).toThrow('tmux')
  expect(() => choose({ asked: listed, availability: withoutSocat })).toThrow('Install the package "socat"')
  expect(choose({ asked: sandbox, availability: withoutSocat })).toEqual(confined)
})
