/** Policies on a real store and a real event log, without the rest of the hub. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { HubError } from '../../src/base/hub-error.ts'
import type { Principal } from '../../src/base/principal.ts'
import type { Redactor } from '../../src/base/redact.ts'
import { createRedactor } from '../../src/base/redact.ts'
import { createFace } from '../../src/endpoint/endpoint.ts'
import type { EventLog } from '../../src/events/events.ts'
import { openEventLog } from '../../src/events/events.ts'
import type { CallToolResult, FaceContents, Notices, Provider } from '../../src/mcp/mcp.ts'
import { createNotices } from '../../src/mcp/mcp.ts'
import type { Policies, PoliciesOptions } from '../../src/policies/policies.ts'
import { createPolicies } from '../../src/policies/policies.ts'
import type { Store } from '../../src/store/store.ts'
import { addSession, ann } from './approval-world.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { toCall } from './terminal-toolbox.ts'

type Args = Readonly<Record<string, unknown>>

export interface PolicyWorld {
  readonly store: Store
  readonly events: EventLog
  readonly notices: Notices
  readonly redactor: Redactor
  readonly policies: Policies
  /** The templates, with the content of their policy files. */
  readonly templates: Map<string, string | undefined>
  /** Advances the clock. Otherwise it stands still. */
  pass(ms: number): void
  /** Another hub on the same store. */
  another(): Policies
  readonly people: Toolbox
  agent(sessionId: string): Toolbox
  /** A session of the template "shell". */
  addSession(name: string): Promise<string>
}

export interface Toolbox {
  call<Result = Args>(tool: string, args?: Args, caller?: Principal): Promise<Result>
  /** Returns the error message of a call that fails. */
  failure(tool: string, args?: Args, caller?: Principal): Promise<string>
  read(uri: string): Promise<unknown>
}

export async function createPolicyWorld(store: Store, options: Partial<PoliciesOptions> = {}): Promise<PolicyWorld> {
  const redactor = createRedactor()
  const events = await openEventLog(
    { engine: 'sqlite', path: join(temporaryDirectory(), 'events.db') },
    { redactor, retention: { maxAgeMs: 1e10, maxBytes: 1e9 } },
  )
  onTestFinished(() => events[Symbol.asyncDispose]())
  const notices = createNotices()
  const templates = new Map<string, string | undefined>([['shell', undefined]])
  let passedMs = 0
  const start = () =>
    createPolicies({
      store,
      events,
      notices,
      redactor,
      shippedSource: 'default: ask\nrules:\n  - allow: policy_*\n',
      hubId: 'hub-1',
      templatePolicy(name) {
        if (!templates.has(name)) return { is: 'unknown', why: `No template named "${name}".` }
        return { is: 'known', origin: 'own', source: templates.get(name) }
      },
      templateNames: () => [...templates.keys()],
      findSession: (nameOrId) => findSession(store, nameOrId),
      grants: { of: async () => [] },
      signals: { emit() {} },
      maxEndedBytes: 64 * 1024 * 1024,
      now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + passedMs),
      ...options,
    })
  const policies = start()
  const tools = policies.createTools({
    namesOf: async (_session, tool) => ({ tool }),
    known: async () => [
      { mount: 'github', tools: ['github_get_issue', 'github_delete_branch'] },
      { mount: 'mail', tools: undefined },
      { mount: 'own', tools: undefined },
    ],
  })
  return {
    store,
    events,
    notices,
    redactor,
    policies,
    templates,
    pass: (ms) => void (passedMs += ms),
    another: start,
    people: toolbox(tools.providers ?? []),
    agent: (sessionId) => toolbox(tools.providersOf?.(sessionId, noFace) ?? []),
    addSession: (name) => addSession(store, name),
  }
}

async function findSession(store: Store, nameOrId: string) {
  const rows = store.db.selectFrom('sessions').select(['id', 'name', 'template', 'hub_id as hubId'])
  const found = await rows.where(({ or }) => or({ id: nameOrId, name: nameOrId })).executeTakeFirst()
  if (!found) throw new HubError('not-found', `No session named "${nameOrId}".`)
  return found
}

/** The policy tools do not use their face. */
const noFace = {} as FaceContents

export function toolbox(providers: readonly Provider[]): Toolbox {
  const face = createFace({ id: 'test', info: { name: 'test', version: '0' }, instructions: '', providers })

  async function run(tool: string, args: Args, caller: Principal): Promise<CallToolResult> {
    const found = face.findTool(tool)
    if (!found) throw new Error(`there is no tool ${tool}`)
    return (await face.callTool(found, args, toCall({ caller }))) as CallToolResult
  }

  const textOf = ({ content }: CallToolResult) =>
    content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')

  return {
    async call<Result>(tool: string, args: Args = {}, caller: Principal = ann) {
      const result = await run(tool, args, caller)
      if (result.isError) throw new Error(textOf(result))
      return result.structuredContent as Result
    },
    async failure(tool, args = {}, caller = ann) {
      const result = await run(tool, args, caller)
      if (!result.isError) throw new Error(`${tool} did not fail: ${textOf(result)}`)
      return textOf(result)
    },
    async read(uri) {
      const found = await face.readResource(uri, toCall({ caller: ann }))
      const [first] = found && 'contents' in found ? found.contents : []
      return first && 'text' in first ? JSON.parse(first.text) : undefined
    },
  }
}
