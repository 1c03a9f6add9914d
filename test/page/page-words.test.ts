import { expect, test } from 'vitest'
import { withoutToolAdvice } from '../../web/hub/page-words.ts'

test.each([
  ['There is no session "x". Call list_sessions for the names.', 'There is no session "x".'],
  [
    '"anna" is typing, so nothing was done. Read along, or take over: claim_input with take_over true.',
    '"anna" is typing, so nothing was done.',
  ],
  ['Unknown tool: "x". Call tools/list for the names.', 'Unknown tool: "x".'],
  ['The hub is busy. Try again in a minute.', 'The hub is busy. Try again in a minute.'],
  ['The recording of /srv/my_files is off.', 'The recording of /srv/my_files is off.'],
])('a person on the page reads no advice about tools: %s', (message, expected) => {
  expect(withoutToolAdvice(message)).toBe(expected)
})
