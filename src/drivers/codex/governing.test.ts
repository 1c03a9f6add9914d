import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasTrustedCommands } from './governing.ts'

async function withRules(text: string, place: 'person' | 'project' = 'person'): Promise<boolean> {
  const [home, workspace] = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'signalbox-rules-'))))
  const folder = join(place === 'person' ? home! : join(workspace!, '.codex'), 'rules')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'default.rules'), text)
  return hasTrustedCommands(home!, workspace!)
}

test.each([
  ['prefix_rule(pattern=["touch"], decision="allow")', true],
  ["prefix_rule(pattern=['touch'], decision = 'allow')", true],
  ['prefix_rule(\n  pattern=["git", "push"],\n)', true],
  ['prefix_rule(pattern=["a"], decision="prompt")\nprefix_rule(pattern=["b"])', true],
  ['prefix_rule(pattern=["rm"], decision="forbidden", justification="no")', false],
  ['# prefix_rule(pattern=["touch"], decision="allow")', false],
])('a rule of Codex that lets a command run without a question is noticed: %s', async (text, isTrusting) => {
  expect(await withRules(text)).toBe(isTrusting)
})

test('rules in a pipe count as rules that allow, and the hub does not wait for them', async () => {
  const home = await mkdtemp(join(tmpdir(), 'signalbox-rules-'))
  await mkdir(join(home, 'rules'))
  execFileSync('mkfifo', [join(home, 'rules/pipe.rules')])
  expect(await hasTrustedCommands(home, '/nowhere')).toBe(true)
})

test('a rule in the project is noticed too, and missing rules are not an error', async () => {
  expect(await withRules('prefix_rule(pattern=["touch"], decision="allow")', 'project')).toBe(true)
  expect(await hasTrustedCommands('/nowhere', '/nowhere')).toBe(false)
})
