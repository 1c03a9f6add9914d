/**
 * switch_provider: another agent or model continues a thread. The built-in agent only changes its model. Any other
 * switch makes a fork of the thread and a session that continues it, in the same workspace, with the policy and the
 * connectors of the session before. The old session stays as it is.
 */
import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { SessionStatus } from '../api/session.ts'
import { isOver } from '../api/session.ts'
import type { Template } from '../api/template.ts'
import type { Thread } from '../api/thread.ts'
import { threadSchema } from '../api/thread.ts'
import { HubError, isNotFound } from '../base/hub-error.ts'
import type { Feature } from '../feature/feature.ts'
import { defineTool } from '../mcp/mcp.ts'
import type { ThreadRecord } from './thread-store.ts'
import { nameIn, subject } from './thread-subject.ts'
import type { Threads } from './thread.ts'

/** The part of a session that a switch needs. */
interface SwitchedSession {
  readonly id: string
  readonly name: string
  readonly status: SessionStatus
  readonly template: string
  readonly driver: string
  readonly workspacePath: string
  readonly labels: readonly string[]
}

export interface SwitchOptions {
  readonly threads: Pick<Threads, 'find' | 'fork' | 'read' | 'remove' | 'currentOf'>
  readonly sessions: {
    find(nameOrId: string): Promise<SwitchedSession>
    isLiving(nameOrId: string): Promise<boolean>
    create(spec: NewSession, signal: AbortSignal): Promise<unknown>
    useModel(session: SwitchedSession, name: string): Promise<unknown>
  }
  /** Throws if there is no such template. */
  readonly templates: { find(name: string): { readonly template: Template } }
}

interface NewSession {
  readonly name: string
  readonly template: string
  readonly workingDir?: string | undefined
  readonly labels: readonly string[]
  readonly model?: string | undefined
  readonly continues: { readonly thread: string; readonly session?: string | undefined }
  readonly by: string
}

interface Target {
  readonly template: Template
  readonly model: string | undefined
  /** The end of the new session's name. */
  readonly suffix: string
}

const builtIn = { driver: 'model', template: 'assistant' } as const
const modelPattern = /^([a-z][a-z-]*)\/\S+$/
const mostNameLength = 40
const mostSuffixLength = 20
/** The highest number that is tried for the name of a new session. */
const mostNames = 99

export function createProviderSwitch({ threads, sessions, templates }: SwitchOptions): Feature {
  function targetOf(to: string, model: string | undefined): Target {
    const [, provider] = modelPattern.exec(to) ?? []
    if (provider === undefined) return { template: agentNamed(to), model, suffix: to }
    if (model === undefined) return { template: agentNamed(builtIn.template), model: to, suffix: provider }
    throw new HubError('invalid', `"model": "to" names the model already. Leave one of them out.`)
  }

  function agentNamed(name: string): Template {
    const { template } = find(name)
    if (template.agent !== undefined || template.driver === builtIn.driver) return template
    throw new HubError('invalid', `"to": the template "${name}" does not run an agent that can be given a thread.`)
  }

  function find(name: string): { readonly template: Template } {
    try {
      return templates.find(name)
    } catch (error) {
      if (!isNotFound(error)) throw error
      throw new HubError(
        'invalid',
        `"to": "${name}" is neither a template nor a model. list_templates names the templates; a model is written openai/…, anthropic/… or google/….`,
      )
    }
  }

  /** `undefined`: the thread has no session, or it was removed. */
  async function sessionOf({ sessionId }: ThreadRecord): Promise<SwitchedSession | undefined> {
    if (sessionId === undefined) return undefined
    try {
      return await sessions.find(sessionId)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Whether the session itself can continue with the target. */
  function canStay(old: SwitchedSession, record: ThreadRecord, { template }: Target): boolean {
    const isBuiltIn = old.driver === builtIn.driver && template.driver === builtIn.driver
    const isSame = template.name === builtIn.template || template.name === old.template
    return isBuiltIn && isSame && !isOver(old.status) && threads.currentOf(old.id) === record.id
  }

  async function change(old: SwitchedSession, { model }: Target): Promise<void> {
    if (model === undefined) {
      throw new HubError('conflict', `"${old.name}" is a session of the built-in agent already. Name another "model".`)
    }
    await sessions.useModel(old, model)
  }

  async function nameFor(record: ThreadRecord, old: SwitchedSession | undefined, suffix: string): Promise<string> {
    const stem = slug(old?.name ?? record.label ?? 'thread').slice(0, mostNameLength - suffix.length - 4)
    for (let count = 1; count <= mostNames; count++) {
      const name = `${stem.replace(/-+$/, '') || 'thread'}-${suffix}${count === 1 ? '' : `-${count}`}`
      if (!(await sessions.isLiving(name))) return name
    }
    throw new HubError('conflict', `Too many sessions are named "${stem}-${suffix}". End some of them.`)
  }

  async function begin(
    record: ThreadRecord,
    old: SwitchedSession | undefined,
    target: Target,
    { by, signal }: { readonly by: string; readonly signal: AbortSignal },
  ): Promise<string> {
    const { template, model, suffix } = target
    const name = await nameFor(record, old, slug(suffix).slice(0, mostSuffixLength))
    const { thread_id: thread } = await threads.fork(record.id, {
      label: record.label,
      agent: template.agent ?? template.name,
    })
    try {
      await sessions.create(
        {
          name,
          template: template.name,
          // The workspace may be gone with a removed worktree.
          workingDir: old && existsSync(old.workspacePath) ? old.workspacePath : undefined,
          labels: old?.labels ?? [],
          model,
          continues: { thread, session: old?.id },
          by,
        },
        signal,
      )
    } catch (error) {
      await threads.remove(thread)
      throw error
    }
    return thread
  }

  const tool = defineTool({
    name: 'switch_provider',
    description:
      'Continues a thread with another agent or model, which sees all earlier tool calls and results. Answers with the thread and the name of the session that continues it.',
    input: z.strictObject({
      ...subject,
      to: z.string().min(1).max(200).describe('A template (claude, codex, …), or a model such as openai/gpt-5.'),
      model: z.string().min(1).max(200).optional().describe('Of the agent, in its own words.'),
    }),
    output: threadSchema,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    async run({ to, model, ...of }, { caller, signal }): Promise<Thread> {
      const target = targetOf(to, model)
      const record = await threads.find(nameIn(of))
      const old = await sessionOf(record)
      if (old && canStay(old, record, target)) {
        await change(old, target)
        return threads.read(record.id, { signal })
      }
      const by = caller.label ?? `token ${caller.tokenId}`
      return threads.read(await begin(record, old, target, { by, signal }), { signal })
    },
  })
  return { providers: [{ toolset: 'agents', tools: () => [tool] }] }
}

/** Makes a text valid as the name of a session. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
}
