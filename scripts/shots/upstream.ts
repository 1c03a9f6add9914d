/**
 * A server over stdio with the tools that a connection of the pictures has.
 *
 *   node upstream.ts <github | ledger-db | fetch>
 */
import { createInterface } from 'node:readline'

interface Message {
  readonly id?: number | string
  readonly method?: string
}

const reads = { readOnlyHint: true }
const writes = { destructiveHint: false }
const destroys = { destructiveHint: true }

const reviewer = {
  type: 'object',
  required: ['login'],
  properties: { login: { type: 'string' }, kind: { enum: ['team', 'person'], default: 'team' } },
}
const createPullRequest = {
  name: 'create_pull_request',
  description: 'Opens a pull request from one branch into another.',
  annotations: writes,
  inputSchema: {
    type: 'object',
    required: ['repo', 'title', 'head'],
    properties: {
      repo: { type: 'string' },
      base: { type: 'string', default: 'main' },
      title: { type: 'string', maxLength: 256 },
      head: { type: 'string' },
      draft: { type: 'boolean', default: true },
      reviewers: { type: 'array', maxItems: 15, items: reviewer },
    },
  },
}

const offered: Readonly<Record<string, readonly object[]>> = {
  github: [
    ...named(reads, 'get_pull_request', 'list_commits', 'search_code', 'get_file', 'get_issue', 'list_issues'),
    ...named(reads, 'list_branches', 'list_releases', 'list_reviews', 'list_checks', 'search_issues', 'search_users'),
    createPullRequest,
    ...named(writes, 'create_release', 'add_comment', 'merge_pull_request', 'create_issue', 'update_issue'),
    ...named(writes, 'create_branch', 'request_review', 'submit_review', 'push_files', 'rerun_checks'),
    ...named(destroys, 'delete_branch', 'update_ref', 'delete_release'),
  ],
  'ledger-db': [
    ...named(reads, 'query', 'list_tables', 'describe_table', 'explain'),
    ...named(writes, 'insert_row'),
    ...named(destroys, 'delete_rows'),
  ],
  fetch: named(reads, 'fetch'),
}

const commits = [
  { sha: 'a41c9e2', message: 'Round tax per line' },
  { sha: '19d0b77', message: 'Merge carts on login' },
]
const review = { name: 'review', description: 'Reviews a pull request.', arguments: [{ name: 'number' }] }

const name = process.argv[2] ?? ''
const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name, version: '1.2.0' },
  },
  'tools/list': { tools: offered[name] },
  'prompts/list': { prompts: [review] },
  'tools/call': { content: [{ type: 'text', text: JSON.stringify({ commits }) }] },
}

console.error('info  connected to api')
if (name === 'github') console.error('warn  rate limit: 412 of 5000 left, resets 14:41')
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method = '' } = JSON.parse(line) as Message
  if (id !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method) })}\n`)
}

function answerTo(method: string): object {
  const result = answers[method]
  return result ? { result } : { error: { code: -32_601, message: `There is no ${method}.` } }
}

function named(annotations: object, ...names: readonly string[]): readonly object[] {
  return names.map((each) => ({ name: each, annotations, inputSchema: { type: 'object', properties: {} } }))
}
