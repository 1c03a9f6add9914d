import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { Session } from '../api/session.ts'
import { renderJobs } from './jobs/jobs.ts'
import { renderSessions } from './sessions/ls.ts'
import { renderStatus } from './hub/status.ts'
import { printable } from './terminal-output/printable.ts'
import { renderTable } from './terminal-output/table.ts'
import { renderTemplates } from './templates/templates.ts'
import { renderTokens } from './tokens/token-list.ts'

test('renders every field of the hub status, even unknown ones', () => {
  const status = {
    version: '0.1.0',
    started_at: '2026-01-01T00:00:00.000Z',
    uptime_seconds: 3 * 3600 + 12 * 60 + 5,
    memory_bytes: 90 * 1024 * 1024,
    brand_new: { thing: true, names: ['a', 'b'] },
  }
  expect(renderStatus(status).split('\n')).toEqual([
    'version          0.1.0',
    'started          2026-01-01T00:00:00.000Z',
    'uptime           3h 12m',
    'memory           90 MiB',
    'brand new thing  true',
    'brand new names  a, b',
  ])
})

test('shows for each token whether it is still valid', () => {
  const created_at = '2026-01-01T08:30:00.000Z'
  const table = renderTokens(
    [
      { id: 't1', role: 'human', label: 'the token file', created_at, last_used_at: '2026-01-02T09:00:00.000Z' },
      { id: 't2', role: 'agent', session: 'fix-login', created_at, expires_at: '2026-02-01T00:00:00.000Z' },
      { id: 't3', role: 'human', toolsets: ['a', 'b'], created_at, expires_at: '2026-01-02T00:00:00.000Z' },
      { id: 't4', role: 'human', created_at, revoked_at: '2026-01-03T10:15:00.000Z' },
    ],
    new Date('2026-01-04T00:00:00.000Z'),
  )
  expect(table.split('\n')).toEqual([
    'id  role   session    label           toolsets  issued            last used         valid',
    't1  human  –          the token file  –         2026-01-01 08:30  2026-01-02 09:00  yes',
    't2  agent  fix-login  –               –         2026-01-01 08:30  –                 until 2026-02-01 00:00',
    't3  human  –          –               a,b       2026-01-01 08:30  –                 expired 2026-01-02 00:00',
    't4  human  –          –               –         2026-01-01 08:30  –                 revoked 2026-01-03 10:15',
  ])
})

const now = new Date('2026-01-01T12:00:00.000Z')

function session(parts: Partial<Session>): Session {
  return {
    id: 's1',
    name: 'fix-tests',
    template: 'claude',
    command: 'claude',
    mode: 'terminal',
    session_type: 'long_running',
    status: 'running',
    activity: { is: 'working', since: '2026-01-01T11:59:48.000Z', source: 'agent', confidence: 1 },
    approvals_pending: 0,
    created_at: '2026-01-01T08:00:00.000Z',
    updated_at: '2026-01-01T10:00:00.000Z',
    workspace_path: '/w',
    log_path: '/l',
    recording_path: '/r',
    labels: [],
    can_resume: false,
    size: { cols: 120, rows: 40 },
    terminal_tools: [],
    session_url: 'http://127.0.0.1:7420/terminal/fix-tests',
    ...parts,
  }
}

const someSessions = [
  session({ last_message: 'Running\n the tests' }),
  session({
    name: 'docs',
    activity: {
      is: 'waiting',
      since: '2026-01-01T11:57:00.000Z',
      reason: 'Allow npm install?',
      source: 'screen',
      confidence: 0.9,
    },
  }),
  session({ name: 'later', template: 'script', status: 'queued', description: '漢字 for later' }),
  session({ name: 'broken', status: 'failed', exit_code: 2 }),
  session({ name: 'killed', status: 'failed', signal: 'SIGKILL' }),
  session({ name: 'done', status: 'completed', size: { cols: 80, rows: 24 } }),
]

test('shows for each session what it is doing, since when, and its last message', () => {
  expect(renderSessions(someSessions, now).split('\n')).toEqual([
    'name       template  status                   activity       size    says',
    'fix-tests  claude    running                  ● working 12s  120x40  Running the tests',
    'docs       claude    running                  ◆ waiting 3m   120x40  Allow npm install?',
    'later      script    queued                   ● working 12s  120x40  漢字 for later',
    'broken     claude    failed (2) 2h ago        –              120x40',
    'killed     claude    failed (SIGKILL) 2h ago  –              120x40',
    'done       claude    completed 2h ago         –              80x24',
  ])
})

test('shows whether the policy covers an agent, as a word and in a colour', () => {
  const reason = 'Codex runs its own tools without asking the hub.'
  const sessions = [
    session({ governed: { is: 'yes' } }),
    session({ governed: { is: 'partly', reason: 'The project has hooks.' } }),
    session({ governed: { is: 'no', reason } }),
    session({ governed: { is: 'no', reason: 'No hook has run yet.', unproven: true } }),
    session({}),
  ]
  const cells = renderSessions(sessions, now).split('\n').slice(1)
  expect(cells.map((line) => /12s {2}(.*?) +120x40/.exec(line)?.[1])).toEqual(['yes', 'partly', 'no', 'not yet', '–'])
  expect(cells[2]).toContain(reason)
  const coloured = printable(renderSessions(sessions, now, { hasColours: true }))
    .split('\n')
    .slice(1)
  expect(coloured.map((line) => line.includes('\u001b[31m'))).toEqual([false, false, true, false, false])
})

test('keeps the columns of sessions in colour, and fits the window', () => {
  const plain = renderSessions(someSessions, now)
  const coloured = printable(renderSessions(someSessions, now, { hasColours: true }))
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured).replaceAll(/ +$/gm, '')).toBe(plain)
  const fitted = renderSessions(someSessions, now, { maxWidth: 79 }).split('\n')
  expect(fitted[1]).toMatch(/120x40 {2}Running t…$/)
  expect(fitted[3]).toMatch(/120x40 {2}漢字 for …$/)
})

test('aligns columns with wide characters and combining marks', () => {
  const rows = [
    ['漢字', 'x'],
    ['e\u0301', 'x'],
    ['😀', 'x'],
    ['plain', 'x'],
  ]
  expect(renderTable(rows)).toBe('漢字   x\ne\u0301      x\n😀     x\nplain  x')
})

test('shows for each job how long it ran, or its place in the queue', () => {
  const job = { session: 'nightly', command: 'npm run\nsoak', priority: 0, created_at: '2026-01-01T11:00:00.000Z' }
  const table = renderJobs(
    [
      { ...job, id: 'j3', status: 'queued', position: 2 },
      { ...job, id: 'j2', status: 'running', started_at: '2026-01-01T11:58:00.000Z' },
      {
        ...job,
        id: 'j1',
        status: 'failed',
        exit_code: 1,
        started_at: '2026-01-01T11:00:00.000Z',
        ended_at: '2026-01-01T11:00:07.000Z',
      },
    ],
    now,
  )
  expect(table.split('\n')).toEqual([
    'id  session  status           priority  added   ran  command',
    'j3  nightly  queued, 2 ahead  0         1h ago  –    npm run soak',
    'j2  nightly  running          0         1h ago  2m   npm run soak',
    'j1  nightly  failed (1)       0         1h ago  7s   npm run soak',
  ])
})

test('shows the prompt of a job that has no command', () => {
  const job = { id: 'j1', session: 'review', status: 'queued', priority: 0, created_at: now.toISOString() } as const
  expect(renderJobs([{ ...job, command: '', prompt: 'review it' }], now)).toMatch(/ –    review it$/)
  expect(renderJobs([{ ...job, command: 'claude', prompt: 'review it' }], now)).toMatch(/ –    claude: review it$/)
})

test('shows how to install a program in full, however narrow the window is', () => {
  const why = '"claude" is not installed. To install it: npm install -g @anthropic-ai/claude-code'
  const missing = { name: 'claude', available: false, why_not: why, source: 'shipped' }
  const ready = { name: 'shell', available: true, description: 'Your login shell. '.repeat(9), source: 'shipped' }
  const table = renderTemplates([missing, ready], { maxWidth: 60 })
  expect(table).toContain(why)
  expect(table).toMatch(/^shell .{30,}…$/m)
})

test('shows for each template its description, or what is missing', () => {
  const table = renderTemplates([
    { name: 'shell', label: 'Shell', description: 'Your login shell.', available: true, source: 'shipped' },
    { name: 'claude', label: 'Claude', available: false, why_not: 'Install it: npm i claude', source: 'shipped' },
    { name: 'mine', label: 'Mine', available: true, source: '/home/me/.signalbox/templates/mine.json' },
  ])
  expect(table.split('\n')).toEqual([
    'name    from     ready  description, or what is missing',
    'shell   shipped  yes    Your login shell.',
    'claude  shipped  no     Install it: npm i claude',
    'mine    yours    yes    Mine',
  ])
})
