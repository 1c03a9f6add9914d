/**
 * Whether Codex asks before everything it does. Each of its threads must run under `untrusted`; a person can loosen that
 * in its interface, and tell it not to ask about a command again.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Governed } from '../../api/session.ts'
import { folderAt } from '../../base/open-inside.ts'
import { readInside } from '../../base/read-inside.ts'

const sandboxSchema = z.looseObject({ type: z.string() })
const profileSchema = z.object({ id: z.string() }).nullish()

/** As `thread/start` and `thread/resume` answer. */
export const openedSettings = {
  approvalPolicy: z.unknown().optional(),
  sandbox: sandboxSchema,
  activePermissionProfile: profileSchema,
}

/** As `thread/settings/updated` says. */
export const updatedSettings = z.object({
  approvalPolicy: z.unknown().optional(),
  sandboxPolicy: sandboxSchema,
  activePermissionProfile: profileSchema,
})

export interface ThreadSettings {
  /** `undefined`: the hub is just setting it. */
  readonly approvalPolicy: unknown
  /** `undefined`: Codex has not said yet. */
  readonly sandbox: Sandbox | undefined
}

export interface Sandbox {
  readonly policy: z.output<typeof sandboxSchema>
  /** The named profile that it comes from. */
  readonly profile: string | undefined
}

/** The change of a thread's settings that restores its sandbox. `undefined`: the thread did not get full access. */
export function undoOpening(before: Sandbox | undefined, after: Sandbox): object | undefined {
  const isOpened = after.policy.type === fullAccess && before !== undefined && before.policy.type !== fullAccess
  if (!isOpened) return undefined
  return before.profile === undefined ? { sandboxPolicy: before.policy } : { permissions: before.profile }
}

const fullAccess = 'dangerFullAccess'

export interface GoverningFacts {
  readonly threads: readonly ThreadSettings[]
  /** How a person loosened the settings, in words for people. */
  readonly loosened: string | undefined
  readonly searchesWeb: boolean
  readonly trustsCommands: boolean
}

export function governedBy({ threads, loosened, searchesWeb, trustsCommands }: GoverningFacts): Governed {
  const policies = threads.flatMap(({ approvalPolicy }) => approvalPolicy ?? [])
  if (policies.length === 0 || policies.some((policy) => policy !== 'untrusted')) {
    return { is: 'no', reason: 'Codex does not ask before each command. Restart the session.' }
  }
  const gaps = [
    loosened,
    searchesWeb ? 'Codex searches the web without asking: set web_search="disabled" in its configuration.' : undefined,
    trustsCommands
      ? 'Codex does not ask about the commands in its rules folder ("don\'t ask again"), so the policy does not see them.'
      : undefined,
  ].filter((gap) => gap !== undefined)
  return gaps.length === 0 ? { is: 'yes' } : { is: 'partly', reason: gaps.join(' ') }
}

/** Whether a rules file of Codex, the person's or the project's, lets commands run without a question. */
export async function hasTrustedCommands(codexHome: string, workspace: string): Promise<boolean> {
  const folders = [codexHome, join(workspace, '.codex')].map((folder) => join(folder, 'rules'))
  return (await Promise.all(folders.map(trustsIn))).includes(true)
}

const mostRuleBytes = 1024 * 1024

async function trustsIn(folder: string): Promise<boolean> {
  try {
    const files = (await readdir(folder)).filter((name) => name.endsWith('.rules'))
    const root = folderAt(folder)
    // A link, a pipe or a very large file may allow something, too.
    return files.some((name) => {
      const read = readInside(root, name, mostRuleBytes)
      return read.is !== 'content' || allows(read.bytes.toString())
    })
  } catch (error) {
    // Rules that cannot be read may allow something.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** A rule without a decision allows. */
function allows(text: string): boolean {
  const rules = text.replaceAll(/^\s*#.*$/gm, '').split(/\bprefix_rule\s*\(/)
  return rules.slice(1).some((rule) => !/\bdecision\s*=\s*["'](prompt|forbidden)["']/.test(rule))
}
