import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { loadActivityRules } from './activity-rules.ts'
import type { View } from './judge.ts'
import { judge } from './judge.ts'

const shipped = fileURLToPath(new URL('../../activity/', import.meta.url))

function written(rules: unknown): { readonly directory: string; readonly name: string } {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'mine.json'), typeof rules === 'string' ? rules : JSON.stringify(rules))
  return { directory, name: 'mine' }
}

async function rulesOf(...rules: readonly object[]) {
  const { directory, name } = written({ rules })
  return loadActivityRules([directory], name)
}

function view(lines: readonly string[], title = ''): View {
  return { title, shell: undefined, lineCount: lines.length, line: (index) => lines[index]! }
}

test.each(readdirSync(shipped))('the shipped %s can be used', async (file) => {
  const { rules } = await loadActivityRules([shipped], file.replace(/\.json$/, ''))
  expect(rules.length).toBeGreaterThan(0)
})

test('the rules that the guide shows can be used', async () => {
  const guide = readFileSync(new URL('../../docs/guides/activity.md', import.meta.url), 'utf8')
  const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? []
  const { directory, name } = written(shown)
  const rules = await loadActivityRules([directory], name)
  const asking = view(['$ make deploy', 'Go on? [y/N]'])
  expect(judge(rules, asking)).toMatchObject({ is: 'waiting', reason: 'It wants to run: make deploy' })
})

test('the first rule whose conditions are all met counts', async () => {
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
  expect(judge(rules, view(['are you sure?', '>'], '! task'))).toMatchObject({ is: 'waiting', confidence: 0.9 })
  expect(judge(rules, view(['>'], '! task'))).toMatchObject({ is: 'working', source: 'agent' })
  expect(judge(rules, view(['are you sure?', '>'], 'task'))).toMatchObject({ is: 'idle', source: 'screen' })
  expect(judge(rules, view(['are you sure?'], 'task'))).toBeUndefined()
})

test('the lowest lines are those that are not empty', async () => {
  const rules = await rulesOf({
    is: 'working',
    confidence: 0.9,
    when: [{ in: 'bottom_non_empty_lines(2)', matches: '^busy' }],
  })
  expect(judge(rules, view(['busy', '', 'prompt', '', '']))?.is).toBe('working')
  expect(judge(rules, view(['busy', 'more', 'prompt']))).toBeUndefined()
})

test('the reason says what was caught, and the first that is found is said', async () => {
  const rules = await rulesOf({
    is: 'waiting',
    confidence: 0.9,
    when: [{ in: 'osc_title', matches: 'Action' }],
    reason: [
      { in: 'whole_screen', matches: '(?m)^\\$ (?P<command>.+)$', says: 'It wants to run: {command}' },
      { in: 'whole_screen', matches: '(?P<question>[A-Z].+\\?)', says: '{question}' },
    ],
  })
  expect(judge(rules, view(['May I?', '$ rm -r {command}'], 'Action'))?.reason).toBe('It wants to run: rm -r {command}')
  expect(judge(rules, view(['May I?'], 'Action'))?.reason).toBe('May I?')
  expect(judge(rules, view([], 'Action'))).not.toHaveProperty('reason')
})

test.each([
  ['no JSON', '{', /mine\.json cannot be used: .*JSON/],
  ['an activity there is not', { rules: [{ is: 'asleep', confidence: 1, when: [] }] }, /working.*\n.*rules\[0\]\.is/],
  ['a region there is not', ruleIn('somewhere', 'x'), /osc_title, whole_screen/],
  ['a pattern that is none', ruleIn('osc_title', '('), /no regular expression/],
  ['a pattern that looks around', ruleIn('osc_title', '(?=x)'), /look-around/],
])('%s is told, with its place', async (_what, rules, message) => {
  const { directory, name } = written(rules)
  await expect(loadActivityRules([directory], name)).rejects.toThrow(message)
})

test('a person’s own rules come before the shipped ones of the same name', async () => {
  const { directory } = written({ rules: [] })
  const places = [directory, shipped]
  expect((await loadActivityRules(places, 'mine')).rules).toHaveLength(0)
  expect((await loadActivityRules(places, 'codex')).rules).not.toHaveLength(0)
})

test('rules that are not there are told with where they could be, and a name leads nowhere else', async () => {
  await expect(loadActivityRules([temporaryDirectory()], 'mine')).rejects.toThrow(/"mine": write .*mine\.json/)
  await expect(loadActivityRules([shipped], '../package')).rejects.toThrow('small letters')
})

function ruleIn(region: string, matches: string): object {
  return { rules: [{ is: 'idle', confidence: 1, when: [{ in: region, matches }] }] }
}
