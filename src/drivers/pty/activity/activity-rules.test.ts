import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../../../test/fixtures/temporary-directory.ts'
import { loadActivityRules } from './activity-rules.ts'
import type { View } from './classify-screen.ts'
import { classifyScreen } from './classify-screen.ts'

const shipped = fileURLToPath(new URL('../../../../activity/', import.meta.url))

function writeRules(rules: unknown): { readonly directory: string; readonly name: string } {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'mine.json'), typeof rules === 'string' ? rules : JSON.stringify(rules))
  return { directory, name: 'mine' }
}

async function rulesOf(...rules: readonly object[]) {
  const { directory, name } = writeRules({ rules })
  return loadActivityRules([directory], name)
}

function view(lines: readonly string[], title = ''): View {
  return { title, shell: undefined, isSettled: true, lineCount: lines.length, line: (index) => lines[index]! }
}

test.each(readdirSync(shipped))('the shipped rules in %s are valid', async (file) => {
  const { rules } = await loadActivityRules([shipped], file.replace(/\.json$/, ''))
  expect(rules.length).toBeGreaterThan(0)
})

test('the rules in the guide are valid and match as the guide says', async () => {
  const guide = readFileSync(new URL('../../../../docs/guides/activity.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? []
  const { directory, name } = writeRules(shown)
  const rules = await loadActivityRules([directory], name)
  const asking = view(['$ make deploy', 'Go on? [y/N]'])
  expect(classifyScreen(rules, asking)).toMatchObject({ is: 'waiting', reason: 'It wants to run: make deploy' })
})

test('the first rule whose conditions all match decides', async () => {
  const rules = await rulesOf(
    {
      is: 'waiting',
      confidence: 0.9,
      when: [
        { in: 'osc_title', matches: '^!' },
        { in: 'whole_screen', matches: 'sure\\?' },
      ],
    },
    { is: 'working', confidence: 0.8, when: [{ in: 'osc_title', matches: '^!' }] },
    { is: 'idle', confidence: 0.7, when: [{ in: 'whole_screen', matches: '>' }] },
  )
  expect(classifyScreen(rules, view(['are you sure?', '>'], '! task'))).toMatchObject({
    is: 'waiting',
    confidence: 0.9,
  })
  expect(classifyScreen(rules, view(['>'], '! task'))).toMatchObject({ is: 'working', source: 'agent' })
  expect(classifyScreen(rules, view(['are you sure?', '>'], 'task'))).toMatchObject({ is: 'idle', source: 'screen' })
  expect(classifyScreen(rules, view(['are you sure?'], 'task'))).toBeUndefined()
})

test('bottom_non_empty_lines skips empty lines', async () => {
  const rules = await rulesOf({
    is: 'working',
    confidence: 0.9,
    when: [{ in: 'bottom_non_empty_lines(2)', matches: '^busy' }],
  })
  expect(classifyScreen(rules, view(['busy', '', 'prompt', '', '']))?.is).toBe('working')
  expect(classifyScreen(rules, view(['busy', 'more', 'prompt']))).toBeUndefined()
})

test('the first matching reason is used, with its captures filled in', async () => {
  const rules = await rulesOf({
    is: 'waiting',
    confidence: 0.9,
    when: [{ in: 'osc_title', matches: 'Action' }],
    reason: [
      { in: 'whole_screen', matches: '(?m)^\\$ (?P<command>.+)$', says: 'It wants to run: {command}' },
      { in: 'whole_screen', matches: '(?P<question>[A-Z].+\\?)', says: '{question}' },
    ],
  })
  expect(classifyScreen(rules, view(['May I?', '$ rm -r {command}'], 'Action'))?.reason).toBe(
    'It wants to run: rm -r {command}',
  )
  expect(classifyScreen(rules, view(['May I?'], 'Action'))?.reason).toBe('May I?')
  expect(classifyScreen(rules, view([], 'Action'))).not.toHaveProperty('reason')
})

test.each([
  ['invalid JSON', '{', /mine\.json cannot be used: .*JSON/],
  ['an unknown activity', { rules: [{ is: 'asleep', confidence: 1, when: [] }] }, /working.*\n.*rules\[0\]\.is/],
  ['an unknown region', ruleIn('somewhere', 'x'), /osc_title, whole_screen/],
  ['an invalid pattern', ruleIn('osc_title', '('), /not a regular expression/],
  ['a pattern with look-around', ruleIn('osc_title', '(?=x)'), /look-around/],
])('reports %s with its place in the file', async (_what, rules, message) => {
  const { directory, name } = writeRules(rules)
  await expect(loadActivityRules([directory], name)).rejects.toThrow(message)
})

test('a person’s own rules override the shipped rules of the same name', async () => {
  const { directory } = writeRules({ rules: [] })
  const places = [directory, shipped]
  expect((await loadActivityRules(places, 'mine')).rules).toHaveLength(0)
  expect((await loadActivityRules(places, 'codex')).rules).not.toHaveLength(0)
})

test('missing rules are reported with the path to write, and a name cannot leave the rules folder', async () => {
  await expect(loadActivityRules([temporaryDirectory()], 'mine')).rejects.toThrow(/"mine"\. Write them to .*mine\.json/)
  await expect(loadActivityRules([shipped], '../package')).rejects.toThrow('lowercase letters')
})

function ruleIn(region: string, matches: string): object {
  return { rules: [{ is: 'idle', confidence: 1, when: [{ in: region, matches }] }] }
}
