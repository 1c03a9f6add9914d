import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { errorLine } from './error-line.ts'

/** The output of Node when it runs this source. */
function lastWordsOf(source: string, name = 'program.mjs'): string {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, source)
  const { stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' })
  expect(stderr).toContain('Node.js v')
  return stderr
}

describe('the line of a crashed Node program is its error, not the version of Node', () => {
  test.each([
    ["throw new Error('the shelf is empty')", 'Error: the shelf is empty'],
    ["throw new TypeError('no book\\nof that title')", 'TypeError: no book'],
    ['const = 3', "SyntaxError: Unexpected token '='"],
    ["throw Object.assign(new Error('refused'), { code: 'E', at: { host: { a: 1, b: [{}] } } })", 'Error: refused'],
    ["throw new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'E' }) })", 'Error: outer'],
    ["throw 'a plain text'", 'a plain text'],
    ["console.error('starting'); await Promise.reject(new RangeError('too many'))", 'RangeError: too many'],
  ])('%s', (source, line) => {
    expect(errorLine(lastWordsOf(source))).toBe(line)
  })

  test.each([
    ["import './nowhere.mjs'", 'program.mjs', /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module '.*nowhere\.mjs'/],
    ["require('not-installed')", 'program.cjs', /^Error: Cannot find module 'not-installed'$/],
  ])('%s', (source, name, line) => {
    expect(errorLine(lastWordsOf(source, name))).toMatch(line)
  })
})

test.each([
  [
    'Python',
    [
      'Traceback (most recent call last):',
      '  File "/srv/books.py", line 3, in <module>',
      '    main()',
      '    ~~~~^^',
      '  File "/srv/books.py", line 2, in main',
      '    raise ValueError("no such book")',
      'ValueError: no such book',
      '',
    ],
    'ValueError: no such book',
  ],
  [
    'Java',
    [
      'Exception in thread "main" java.lang.IllegalStateException: no shelf',
      '\tat org.example.Shelf.open(Shelf.java:7)',
      'Caused by: java.io.IOException: disk gone',
      '\tat org.example.Disk.read(Disk.java:3)',
      '\t... 1 more',
    ],
    'Caused by: java.io.IOException: disk gone',
  ],
  [
    'Rust',
    [
      "thread 'main' panicked at src/main.rs:2:5:",
      'no shelf',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ],
    'no shelf',
  ],
  [
    'npm',
    [
      'npm error code E404',
      'npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found',
      'npm error 404',
      'npm error 404 Note that you can also install from a',
      'npm error 404 tarball, folder, http url, or git folder.',
      'npm error A complete log of this run can be found in: /home/me/.npm/_logs/1.log',
    ],
    'npm error 404 Not Found - GET https://registry.npmjs.org/no-such-server - Not found',
  ],
  ['a plain program', ['reading books', '  {"level": "error", "books": {', '  no shelf  ', ''], 'no shelf'],
  ['a program that only closed a brace', ['}'], '}'],
  ['a program that only showed frames', ['at home', '', 'at work'], 'at work'],
  ['a silent program', ['', ' '], ''],
])('finds the line that says why in the output of %s', (_, lines, line) => {
  expect(errorLine(lines.join('\n'))).toBe(line)
})

test('a long line is cut, and control characters are removed from it', () => {
  expect(errorLine(`\u001b[31m${'x'.repeat(1_000)}`)).toMatch(/^ \[31mx{295}…$/)
})
