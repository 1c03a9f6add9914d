/** The table of the files that the hub touches where an agent can write, in docs/security.md. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPage } from './documents/pages.ts'
import { root } from './documents/newcomer.ts'

/** Code that touches only the data directory, the system, the package, or what a person names. */
const noAgentWrites = [
  /^(cli|config|http|policy|socket|store|telemetry|terminal|tokens)\//,
  /^base\/(close-inherited|data-directory|make-directory|package-files|private-socket|shared-machine|sqlite-file)\.ts$/,
  // The ways to open a file in a place of an agent.
  /^base\/(open-inside|read-inside|stat-at)\.ts$/,
  /^(hub|confine-program)\.ts$/,
  /^drivers\/(model\/partial-text|port\/(gemini-policies|sign-of-life)|pty\/activity\/activity-rules)\.ts$/,
  // In the folder of the session.
  /^drivers\/(codex\/(server-program|own-tool-requests)|gemini\/(companion|hand-over|pending-call))\.ts$/,
  /^drivers\/opencode\/(opencode|server-file)\.ts$/,
  /^sessions\/(earlier-text|hand-over|kill-session|launch|project-watch|prunable|session-git|worktree-script)\.ts$/,
  /^index\/(index|index-file|no-repository|query-worker|chunks\/definitions)\.ts$/,
  /^sandbox\/(agent-places|control-groups|limits|program-guards|probe|system)\.ts$/,
  /^templates\/(availability|template-folder|template-writer|templates|watch-folder)\.ts$/,
  /^connectors\/connectors\.ts$/,
  /^upstream\/oauth-file\.ts$/,
]

const section = /^### Files where an agent can write\n(?<text>[^]*?)^### /m.exec(readPage('docs/security.md'))
const rows = (section?.groups?.['text'] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

test('each file of the code that touches files is in the table, or touches no place of an agent', () => {
  const code = globSync('**/*.ts', { cwd: join(root, 'src') }).filter((file) => !file.endsWith('.test.ts'))
  const touching = code.filter((file) =>
    /^import (?!type\b)[^']*from 'node:fs(\/promises)?'/m.test(readFileSync(join(root, 'src', file), 'utf8')),
  )
  const named = new Set(rows.flatMap((row) => namesIn(row.split('|')[2])))
  expect(rows.length).toBeGreaterThan(15)
  expect(touching.filter((file) => !named.has(file) && !noAgentWrites.some((each) => each.test(file)))).toEqual([])
  expect([...named].filter((file) => noAgentWrites.some((each) => each.test(file)))).toEqual([])
})

test('each row has a test that exists', () => {
  expect(rows.filter((row) => namesIn(row.split('|')[4]).length === 0)).toEqual([])
  expect(rows.flatMap((row) => namesIn(row.split('|')[4])).filter((file) => !existsSync(join(root, file)))).toEqual([])
})
