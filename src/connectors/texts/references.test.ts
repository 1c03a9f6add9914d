import { expect, test } from 'vitest'
import { fillIn, maskReferences, placesIn, referencesIn } from './references.ts'

const places = { workspace: '/srv', session_id: 's1', session_name: 'build' }
const fill = (text: string) => fillIn(text, places, ({ variable, fallback }) => `<${variable}|${fallback ?? ''}>`)

test.each([
  ['${TOKEN}', '<TOKEN|>'],
  ['Bearer ${TOKEN}', 'Bearer <TOKEN|>'],
  ['${A}${B}', '<A|><B|>'],
  ['${A:-}', '<A|>'],
  ['${A:-x y}', '<A|x y>'],
  ['${A:-{workspace}/x}', '<A|{workspace}/x>'],
  ['{workspace}/{session_name}-{session_id}', '/srv/build-s1'],
  ['$${A}', '${A}'],
  ['{"json": {"a": 1}}', '{"json": {"a": 1}}'],
  ['{cwd} {} {Workspace}', '{cwd} {} {Workspace}'],
  ['$A ${A-b} ${1} ${}', '$A ${A-b} ${1} ${}'],
  ['${workspace}', '<workspace|>'],
])('the text %s is filled in as %s', (text, filled) => {
  expect(fill(text)).toBe(filled)
})

test('inserted text is not examined again', () => {
  const hostile = { ...places, workspace: '/tmp/${TOKEN}/{session_id}' }
  expect(fillIn('{workspace} ${A}', hostile, () => '{session_id} ${B}')).toBe(
    '/tmp/${TOKEN}/{session_id} {session_id} ${B}',
  )
})

test('references and placeholders are found with their positions', () => {
  expect(referencesIn('${A} $${B} ${C:-d} {workspace}')).toEqual([
    { variable: 'A', start: 0, end: 4 },
    { variable: 'C', fallback: 'd', start: 11, end: 18 },
  ])
  expect(placesIn('${A} {workspace} {other} {session_id}')).toEqual(['workspace', 'session_id'])
})

test('a mask hides references and keeps all positions', () => {
  const text = 'Bearer ${TOKEN} ${A:-abc} {workspace} $${x}'
  const masked = maskReferences(text)
  expect(masked).toHaveLength(text.length)
  expect(masked.replaceAll('\0', '')).toBe('Bearer   {workspace} $${x}')
  expect(masked.indexOf('{workspace}')).toBe(text.indexOf('{workspace}'))
})
