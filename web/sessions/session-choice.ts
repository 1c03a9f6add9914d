/** A person's choices for a new session. The page remembers them for the next one, except variables and the name. */
import type { SandboxChoice } from '../../src/api/sandbox.ts'
import type { SessionMode } from '../../src/api/session.ts'
import type { Template } from '../../src/api/template.ts'

export interface SessionChoice {
  readonly template: string
  readonly directory: string
  readonly worktree: boolean
  /** `undefined`: as the template says. */
  readonly connectors: readonly string[] | undefined
  readonly tools: readonly string[] | undefined
  readonly mode: SessionMode | undefined
  readonly sandbox: SandboxDraft | undefined
  readonly model: string
  readonly policy: string
  /** Between commas. */
  readonly labels: string
}

/** `own` as texts: paths and hosts, one per line. */
export type SandboxDraft =
  | { readonly is: 'off' }
  | {
      readonly is: 'own'
      readonly write: string
      readonly read: string
      readonly network: 'all' | 'none' | 'hosts'
      readonly hosts: string
    }

export const ownSandbox: SandboxDraft = { is: 'own', write: '', read: '', network: 'all', hosts: '' }

const key = 'signalbox-new-session'
const nothing: SessionChoice = {
  template: '',
  directory: '',
  worktree: false,
  connectors: undefined,
  tools: undefined,
  mode: undefined,
  sandbox: undefined,
  model: '',
  policy: '',
  labels: '',
}

export function readChoice(): SessionChoice {
  try {
    return { ...nothing, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<SessionChoice>) }
  } catch {
    return nothing
  }
}

export function keepChoice(choice: SessionChoice): void {
  localStorage.setItem(key, JSON.stringify(choice))
}

/** A shell and a script have no agent, and so no model and no prompt. */
export function hasAgent({ agent, driver }: Pick<Template, 'agent' | 'driver'>): boolean {
  return agent !== undefined || driver !== 'pty'
}

export function modesOf({ driver, mode, modes }: Pick<Template, 'driver' | 'mode' | 'modes'>): readonly SessionMode[] {
  const all: readonly SessionMode[] = ['terminal', 'both', 'structured']
  return all.filter((one) => one === mode || one in modes || (one === 'terminal' && driver === 'pty'))
}

/** The arguments of create_session, except name, prompt, command and env. A choice that a template lacks is left out. */
export function choiceArguments(choice: SessionChoice, template: Template) {
  const { directory, worktree, connectors, tools, mode, sandbox, model, policy, labels } = choice
  const labelList = labels
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '')
  return {
    template: template.name,
    ...(directory.trim() !== '' && { working_dir: directory.trim(), worktree }),
    ...(connectors && { connectors }),
    ...(tools && { tools }),
    ...(mode !== undefined && modesOf(template).includes(mode) && { mode }),
    ...(sandbox && { sandbox: sandboxOf(sandbox) }),
    ...(model.trim() !== '' && hasAgent(template) && { model: model.trim() }),
    ...(policy.trim() !== '' && { policy }),
    ...(labelList.length > 0 && { labels: labelList }),
  }
}

function sandboxOf(draft: SandboxDraft): SandboxChoice {
  if (draft.is === 'off') return 'off'
  const network = draft.network === 'hosts' ? { allow: [...linesOf(draft.hosts)] } : draft.network
  return { write: [...linesOf(draft.write)], read: [...linesOf(draft.read)], network, nested: false }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Reads `NAME=value`, one per line. Throws a sentence about a line in another form. */
export function envOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=')
      if (at < 1) throw new Error(`Variables: "${line}" has no "=". Write NAME=value.`)
      return [line.slice(0, at).trim(), line.slice(at + 1)]
    }),
  )
}
