/** Whether Codex can answer, judged for each call: a person may install it, sign in or out while the hub runs. */
import { dirname } from 'node:path'
import { answeringTemplate } from '../../api/repository.ts'
import type { Template } from '../../api/template.ts'
import { findProgram } from '../../base/find-program.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import type { PersonsEnvironment, ProgramEnvironment } from '../../config/config.ts'
import { errorCode, RpcError } from '../../mcp/mcp.ts'

export interface CodexAvailabilityOptions {
  readonly templates: AnsweringTemplates
  readonly environment: PersonsEnvironment
  readonly whyNotCodex: (
    program: {
      readonly file: string
      readonly args: readonly string[]
      readonly env: ProgramEnvironment
      readonly cwd: string
    },
    signal: AbortSignal,
  ) => Promise<string | undefined>
  readonly redact: (text: string) => string
  readonly now?: () => number
}

export interface AnsweringTemplates {
  /** Throws if there is no such template. */
  find(name: string): { readonly template: Template; readonly whyNot?: string | undefined }
}

export interface CodexAvailability {
  /** Throws `CODEX_UNAVAILABLE`. */
  assert(): Promise<void>
}

/** Each check starts Codex, so calls at the same time share one. Whether the program exists is checked each time. */
const freshMs = 5_000

export function createCodexAvailability(options: CodexAvailabilityOptions): CodexAvailability {
  const { templates, environment, whyNotCodex, redact, now = () => performance.now() } = options
  let last: { readonly at: number; readonly whyNot: Promise<string | undefined> } | undefined

  async function look({
    command,
    args: own = [],
    prefix,
    env_keys,
    env: fixed,
  }: Template): Promise<string | undefined> {
    try {
      const env = { ...(await environment.forPrograms()), ...environment.passedOn(env_keys), ...fixed }
      const before = own.slice(0, Math.max(0, own.indexOf('app-server')))
      const [program, ...args] = [...prefix, command, ...before] as const
      const file = findProgram(String(program), env['PATH'] ?? '', '/')
      return await whyNotCodex({ file, args, env, cwd: dirname(file) }, new AbortController().signal)
    } catch (error) {
      return messageOf(error)
    }
  }

  async function whyNot(): Promise<string | undefined> {
    const { template, whyNot: missing } = templates.find(answeringTemplate)
    if (missing !== undefined) return missing
    if (last === undefined || now() - last.at > freshMs) last = { at: now(), whyNot: look(template) }
    const { whyNot: found } = last
    const reason = await found
    // A failure is not kept, because a person may fix it at once.
    if (reason !== undefined && last.whyNot === found) last = undefined
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
