/** Whether Codex can answer, judged for each call: a person may install it, sign in or out while the hub runs. */
import { dirname } from 'node:path'
import { answeringTemplate } from '../../api/repository.ts'
import type { Sandbox } from '../../api/sandbox.ts'
import type { AvailableTemplate } from '../../api/template.ts'
import { findProgram } from '../../base/find-program.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { Program, Reach } from '../../base/start-program.ts'
import type { PersonsEnvironment } from '../../config/config.ts'
import type { ConfineProgram, Sandboxes } from '../../sandbox/sandbox.ts'
import { errorCode, RpcError } from '../../mcp/mcp.ts'

export interface CodexAvailabilityOptions {
  readonly templates: AnsweringTemplates
  readonly environment: PersonsEnvironment
  readonly sandboxes: Pick<Sandboxes, 'choose'>
  readonly confineProgram: ConfineProgram
  readonly whyNotCodex: (program: Program, reach: Reach, signal: AbortSignal) => Promise<string | undefined>
  readonly redact: (text: string) => string
  readonly now?: () => number
}

export interface AnsweringTemplates {
  /** Throws if there is no such template. */
  find(name: string): Pick<AvailableTemplate, 'template' | 'isSandboxShipped' | 'whyNot'>
}

export interface CodexAvailability {
  /** Throws `CODEX_UNAVAILABLE`. */
  assert(): Promise<void>
}

/** Each check starts Codex, so calls at the same time share one. Whether the program exists is checked each time. */
const freshMs = 5_000

export function createCodexAvailability(options: CodexAvailabilityOptions): CodexAvailability {
  const {
    templates,
    environment,
    sandboxes,
    confineProgram,
    whyNotCodex,
    redact,
    now = () => performance.now(),
  } = options
  let last: { readonly at: number; readonly whyNot: Promise<string | undefined> } | undefined

  async function look(found: ReturnType<AnsweringTemplates['find']>): Promise<string | undefined> {
    const { command, args: own = [], prefix, env_keys, env: fixed } = found.template
    try {
      const env = { ...(await environment.forPrograms()), ...environment.passedOn(env_keys), ...fixed }
      const before = own.slice(0, Math.max(0, own.indexOf('app-server')))
      const [name, ...args] = [...prefix, command, ...before] as const
      const file = findProgram(String(name), env['PATH'] ?? '', '/')
      using confined = await confinedFor(found, { file, env })
      const cwd = confined ? '/tmp' : dirname(file)
      return await whyNotCodex({ file, args, env, cwd }, confined?.within ?? 'person', new AbortController().signal)
    } catch (error) {
      return messageOf(error)
    }
  }

  /** Like its sessions, without a network: an agent may have written the program or its settings. */
  async function confinedFor(
    { template: { name, sandbox }, isSandboxShipped }: ReturnType<AnsweringTemplates['find']>,
    program: Pick<Program, 'file' | 'env'>,
  ) {
    const template = { name, sandbox, isSandboxShipped }
    const choice = await sandboxes.choose({ asked: undefined, template, backend: 'holder' })
    if (choice.is === 'open') return undefined
    const less: Sandbox = { ...choice.sandbox, network: 'none', nested: false }
    return confineProgram({ sandbox: less, program, workspace: undefined })
  }

  async function whyNot(): Promise<string | undefined> {
    const found = templates.find(answeringTemplate)
    if (found.whyNot !== undefined) return found.whyNot
    if (last === undefined || now() - last.at > freshMs) last = { at: now(), whyNot: look(found) }
    const { whyNot: answer } = last
    const reason = await answer
    // A failure is not kept, because a person may fix it at once.
    if (reason !== undefined && last.whyNot === answer) last = undefined
    return reason
  }

  return {
    async assert() {
      const reason = await whyNot()
      if (reason !== undefined) throw codexUnavailable(redact(reason))
    },
  }
}

/** The one error for a Codex that is missing, does not start, is not signed in, or drops out. */
export function codexUnavailable(reason: string): RpcError {
  const code = 'CODEX_UNAVAILABLE'
  return new RpcError(errorCode.unavailable, `${code}: ${reason}`, { data: { code, reason } })
}

/** Another failure to start or to reach Codex means the same to the caller. */
export function asUnavailable(error: unknown, redact: (text: string) => string): unknown {
  const isIt = error instanceof HubError && error.code === 'unavailable'
  return isIt ? codexUnavailable(redact(error.message)) : error
}
