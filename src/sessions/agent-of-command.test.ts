import { expect, test } from 'vitest'
import { agentOfCommand } from './agent-of-command.ts'

test.each([
  ['claude', 'claude'],
  ['codex exec "list files"', 'codex'],
  ['/usr/local/bin/claude --continue', 'claude'],
  ['./node_modules/.bin/opencode', 'opencode'],
  ['npx codex', 'codex'],
  ['npx -y @openai/codex@latest exec', 'codex'],
  ['npm exec -- @google/gemini-cli', 'gemini'],
  ['pnpm dlx opencode-ai@1', 'opencode'],
  ['X=1 Y="a b" codex', 'codex'],
  ['env X=1 codex', 'codex'],
  ['env -u HOME -- codex', 'codex'],
  ['sudo -u me timeout 60 gemini', 'gemini'],
  ['cd "$HOME/x y" && claude', 'claude'],
  ['true; exec claude', 'claude'],
  ['cat notes | claude -p', 'claude'],
  ['if true; then codex; fi', 'codex'],
  ['(cd x; codex)', 'codex'],
  ['echo "$(codex exec x)"', undefined],
  ['echo $(codex exec x)', 'codex'],
  ['x=`codex exec x`', 'codex'],
  ['bash -lc "cd x && claude"', 'claude'],
  ['sh -c "bash -c \'codex\'"', 'codex'],
  ['node /opt/node_modules/@anthropic-ai/claude-code/cli.js', 'claude'],
  ['node --no-warnings /opt/codex/bin/codex.js', 'codex'],
  ['> out codex', 'codex'],
  ['npm test\ncodex', 'codex'],
  ['codex "${unclosed', 'codex'],
  // Not started here.
  ['', undefined],
  ['cat claude', undefined],
  ['echo codex', undefined],
  ['git commit -m codex', undefined],
  ['npm install -g @openai/codex', undefined],
  ['./claude.sh', undefined],
  ['claude-monitor', undefined],
  ['vim src/claude', undefined],
  ['echo x > claude', undefined],
  ['# codex', undefined],
])('the shell line %j starts %s', (command, agent) => {
  expect(agentOfCommand({ command, args: undefined })).toBe(agent)
})

test.each([
  ['claude', ['--continue'], 'claude'],
  ['env', ['X=1', 'codex'], 'codex'],
  ['/bin/sh', ['-c', 'exec gemini'], 'gemini'],
  ['cat', ['claude'], undefined],
  ['/bin/sh', [], undefined],
])('the program %s with %j starts %s', (command, args, agent) => {
  expect(agentOfCommand({ command, args })).toBe(agent)
})

test.each([
  ['many words', `env ${'a '.repeat(20_000)}`],
  ['wrappers of wrappers', `${'env '.repeat(20_000)} codex`],
  ['shells of shells', `${'bash '.repeat(20_000)} -c codex`],
])('a line of %s is not read to its end', (_what, command) => {
  expect(agentOfCommand({ command, args: undefined })).toBeUndefined()
})
