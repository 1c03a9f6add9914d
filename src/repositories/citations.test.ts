import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexedContent } from '../../test/fixtures/indexed-content.ts'
import { checkCitations } from './citations.ts'

const content = indexedContent({
  'src/gate/gate.ts': 'import a\n\nexport function authorize() {\n  return decide()\n}\n\nfunction decide() {}\n',
  'src/gate/rules.ts': 'const one = 1\nconst two = 2\n',
  'src/http/rules.ts': 'const three = 3\n',
  'app/[id]/page.tsx': 'one\ntwo\n',
  'README.md': '# Demo\nThe gate decides every call.\n',
  Makefile: 'all:\n\ttrue\n',
  'empty.ts': '',
})

const kept = { kept: 1, repaired: 0, dropped: 0 }
const repaired = { kept: 0, repaired: 1, dropped: 0 }
const dropped = { kept: 0, repaired: 0, dropped: 1 }
const none = { kept: 0, repaired: 0, dropped: 0 }

test.each([
  ['a range', 'See src/gate/gate.ts:3-5.', 'See src/gate/gate.ts:3-5.', kept],
  ['one line', 'See `src/gate/rules.ts:2`', 'See `src/gate/rules.ts:2`', kept],
  ['a line and a column', 'at src/gate/rules.ts:2:14', 'at src/gate/rules.ts:2', kept],
  ['lines as on GitHub', '[gate](src/gate/gate.ts#L3-L5)', '[gate](src/gate/gate.ts:3-5)', kept],
  ['a path with brackets', 'app/[id]/page.tsx:1-2', 'app/[id]/page.tsx:1-2', kept],
  ['a name without extension', 'Makefile:1', 'Makefile:1', kept],
  ['a path from the root', './src/gate/rules.ts:1', 'src/gate/rules.ts:1', kept],
  ['the path of the hub', '/repositories/demo/src/gate/rules.ts:1', 'src/gate/rules.ts:1', kept],
  ['the path of the host', '/home/me/demo/src/gate/rules.ts:1', 'src/gate/rules.ts:1', kept],
  ['the name of the repository', 'demo/src/gate/rules.ts:1', 'src/gate/rules.ts:1', kept],
  ['a symbol before it', '`authorize` (src/gate/gate.ts:3-5)', '`authorize` (src/gate/gate.ts:3-5)', kept],
  ['a text after it', 'README.md:2 "gate decides"', 'README.md:2 "gate decides"', kept],
  ['code that is no name', '`x => 1` (src/gate/gate.ts:3-5)', '`x => 1` (src/gate/gate.ts:3-5)', kept],
  ['the end of a path', 'gate.ts:3-5', 'src/gate/gate.ts:3-5', repaired],
  ['a range past the end', 'src/gate/rules.ts:2-90', 'src/gate/rules.ts:2', repaired],
  ['a range from the end', 'src/gate/rules.ts:2-1', 'src/gate/rules.ts:1-2', repaired],
  ['a symbol on other lines', '`decide` (src/gate/gate.ts:1-2)', '`decide` (src/gate/gate.ts:7)', repaired],
  [
    'a member on other lines',
    '`Gate.decide()` (src/gate/gate.ts:1-2)',
    '`Gate.decide()` (src/gate/gate.ts:7)',
    repaired,
  ],
  ['a symbol past the end', '`two` in `src/gate/rules.ts:80-90`', '`two` in `src/gate/rules.ts:2`', repaired],
  ['a text on other lines', 'README.md:1 "every call"', 'README.md:2 "every call"', repaired],
  ['a file that is not there', 'It decides (src/gate/gone.ts:3-5).', 'It decides.', dropped],
  ['the same in a sentence', 'In `src/gone.ts:3` it decides.', 'In [unverified] it decides.', dropped],
  ['the end of two paths', 'It rules (rules.ts:1).', 'It rules.', dropped],
  ['lines past the end', 'It rules (src/gate/rules.ts:80-90).', 'It rules.', dropped],
  ['lines of an empty file', 'Nothing (empty.ts:1).', 'Nothing.', dropped],
  ['a symbol that is not in the file', '`gone` (src/gate/rules.ts:1)', '`gone`', dropped],
  ['a text that is not in the file', '(README.md:1 "never said")', '([unverified] "never said")', dropped],
  ['a path that leaves the repository', 'Keys (../../etc/passwd.txt:1).', 'Keys.', dropped],
  ['an absolute path elsewhere', 'Keys (/etc/passwd.conf:1).', 'Keys.', dropped],
  ['a host with a port', 'curl http://localhost:5011/x', 'curl http://localhost:5011/x', none],
  ['a bare host', 'on example.com:443 and 127.0.0.1:80', 'on example.com:443 and 127.0.0.1:80', none],
  ['times and ratios', 'at 12:30, 3:1, and/or:2', 'at 12:30, 3:1, and/or:2', none],
  ['a fence', '```\nsrc/gone.ts:3\n```', '```\nsrc/gone.ts:3\n```', none],
])('%s', async (_, text, expected, counts) => {
  const { text: checked, checked: counted, citations } = await checkCitations(text, content)
  expect({ text: checked, counted }).toEqual({ text: expected, counted: counts })
  expect(citations).toHaveLength(counts.kept + counts.repaired)
})

test('a citation has the lines as they were indexed, and the path of the file on the host', async () => {
  const { citations } = await checkCitations('`authorize` (src/gate/gate.ts:3-5), again src/gate/gate.ts:3-5', content)
  expect(citations).toEqual([
    {
      repository: 'demo',
      path: 'src/gate/gate.ts',
      start_line: 3,
      end_line: 5,
      host_path: '/home/me/demo/src/gate/gate.ts',
      symbol: 'authorize',
      text: 'export function authorize() {\n  return decide()\n}',
    },
  ])
})

test('no citation that is returned points at lines that do not exist, whatever a model writes', async () => {
  const paths = [
    'src/gate/gate.ts',
    'rules.ts',
    'gate/rules.ts',
    '/src/http/rules.ts',
    'empty.ts',
    'gone.ts',
    '../x.ts',
    '',
  ]
  const number = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.nat())
  const place = fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom(':', '#L', ':L'), number, fc.option(number))
    .map(([path, mark, start, end]) => `${path}${mark}${start}${end === null ? '' : `-${end}`}`)
  const word = fc.oneof(
    place,
    place.map((each) => `(\`${each}\`)`),
    fc.constantFrom('`decide`', '`gone`', '"gate decides"', ',', '```\n', '[', ')'),
    fc.string(),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(word), fc.constantFrom(' ', '', '\n'), async (words, space) => {
      const { text, citations, checked } = await checkCitations(words.join(space), content)
      for (const { path, start_line: start, end_line: end, text: cited } of citations) {
        const file = await content.read(path)
        expect(file).toBeDefined()
        expect(1 <= start && start <= end && end <= file!.total_lines).toBe(true)
        expect(
          file!.text
            .split('\n')
            .slice(start - 1, end)
            .join('\n'),
        ).toBe(cited)
        expect(text).toContain(`${path}:${start}`)
      }
      expect(citations.length).toBeLessThanOrEqual(checked.kept + checked.repaired)
    }),
  )
})
