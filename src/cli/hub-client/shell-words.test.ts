import { describe, expect, test } from 'vitest'
import { inShellWords } from './shell-words.ts'

describe('a message of the hub at a shell', () => {
  test.each([
    [
      'There is no session "x". Call list_sessions for the names.',
      'There is no session "x". Run "signalbox ls" for the names.',
    ],
    ['To switch it on, call toggle_module with …', 'To switch it on, run "signalbox call toggle_module" with …'],
    ['Choose another name, or end it with kill_session.', 'Choose another name, or end it with "signalbox kill".'],
    ['There are none yet; save_connector makes one.', 'There are none yet; "signalbox connectors add" makes one.'],
    [
      'Unknown tool: "x". Call tools/list for the names.',
      'Unknown tool: "x". Run "signalbox tools --management" for the names.',
    ],
  ])('%s', (message, expected) => {
    expect(inShellWords(message)).toBe(expected)
  })

  test('leaves quoted names and longer names alone', () => {
    const message = 'There is no session "screenshot". The policy denies terminal_send_keys and /srv/read_screen.'
    expect(inShellWords(message)).toBe(message)
  })
})
