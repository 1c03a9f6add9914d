import { expect, test } from 'vitest'
import { inFlagWords } from './flag-words.ts'

test.each([
  [
    'Wrong arguments: "cursor": a cursor is a number; "tools.0": …',
    'Wrong arguments: --cursor: a cursor is a number; --tools: …',
  ],
  [
    '"working_dir": /none is not a directory. Make it first, or leave out "working_dir" for a new one.',
    '--dir: /none is not a directory. Make it first, or leave out --dir for the current one.',
  ],
  ['"payload" is not a valid template: "colour": …', 'The file is not a valid template: "colour": …'],
  ['"source", line 1: "alow" is not known here', 'The file, line 1: "alow" is not known here'],
  ['"headers.Authorization" holds what looks like a secret', '--header holds what looks like a secret'],
  ['To type it anyway, use "force": true (--force).', 'To type it anyway, use --force.'],
  ['There is no session "label".', 'There is no session "label".'],
])('%s', (message, expected) => {
  expect(inFlagWords(message)).toBe(expected)
})
