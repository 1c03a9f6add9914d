import { expect, test } from 'vitest'
import { hooksOverSocket } from './hooks-over-socket.ts'

const place = { hooksUrl: 'http://127.0.0.1:7420/hooks', signalbox: '/opt/sig box/signalbox' }
const post = { type: 'http', url: `${place.hooksUrl}/claude`, headers: { Authorization: 'x' }, allowedEnvVars: ['T'] }

test('a hook that must not fail open blocks the call if its command fails', () => {
  const files = [
    { path: 'a.json', json: { hooks: { PreToolUse: [{ hooks: [{ ...post, onFailure: 'block', timeout: 9 }] }] } } },
  ]
  const command = `"/opt/sig box/signalbox" hook claude || exit 2`
  expect(hooksOverSocket(files, place)).toEqual([
    { path: 'a.json', json: { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command, timeout: 9 }] }] } } },
  ])
})

test('a hook that may fail leaves the question to the dialog', () => {
  expect(hooksOverSocket([post], place)).toEqual([
    { type: 'command', command: `"/opt/sig box/signalbox" hook claude || true` },
  ])
})

test('hooks of other addresses, and other values, stay as they are', () => {
  const others = [{ ...post, url: 'https://example.com/hooks/claude' }, { ...post, type: 'command' }, 'text', 1, null]
  expect(hooksOverSocket(others, place)).toEqual(others)
})
