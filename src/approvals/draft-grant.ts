/** Drafts the grant for an approval that is given for more than one call. */
import { randomBytes } from 'node:crypto'
import type { ApprovalScope } from '../api/approval.ts'
import { HubError, messageOf } from '../base/hub-error.ts'
import type { CompiledGrant } from '../policy/policy.ts'
import { compileGrant } from '../policy/policy.ts'
import type { ApprovalRecord, GrantRecord, JsonObject } from './approval-record.ts'

/** The calls that a person allows from now on. */
export interface GrantRule {
  /** As in a policy: `*` stands for anything. */
  readonly tool: string
  /** JSON Schema on the arguments. */
  readonly when?: JsonObject | undefined
  /** Limits the grant to the session that asked. */
  readonly session?: boolean | undefined
}

export type GrantDraft = Pick<GrantRecord, 'id' | 'sessionId' | 'sessionName' | 'tool' | 'when' | 'approvalId'>

/**
 * Returns `undefined` if the answer is for this call only. Throws if the rule is invalid or does not match the call.
 */
export async function draftGrant(
  record: ApprovalRecord,
  { scope, rule }: { readonly scope: ApprovalScope; readonly rule?: GrantRule | undefined },
): Promise<GrantDraft | undefined> {
  if (rule !== undefined && scope !== 'rule') {
    throw new HubError('invalid', `"rule" goes with the scope "rule", and this one is "${scope}".`)
  }
  if (scope === 'once') return undefined
  const { tool, when, session = false } = scope === 'session' ? ruleForSession(record) : (rule ?? proposeRule(record))
  const draft: GrantDraft = {
    id: `g${randomBytes(6).toString('hex')}`,
    sessionId: session ? record.sessionId : undefined,
    sessionName: session ? record.sessionName : undefined,
    tool,
    when,
    approvalId: record.id,
  }
  await checkFit(draft, record)
  return draft
}

function ruleForSession(record: ApprovalRecord): GrantRule {
  return { tool: literal(record), session: true }
}

/** The narrowest rule: this tool with exactly these arguments, in every session. */
function proposeRule(record: ApprovalRecord): GrantRule {
  assertNothingHidden(record)
  const names = Object.keys(record.arguments)
  const properties = Object.fromEntries(
    Object.entries(record.arguments).map(([name, value]) => [name, { const: value }]),
  )
  return {
    tool: literal(record),
    when: { type: 'object', properties, required: names, additionalProperties: false },
  }
}

/** A secret must not be written into a rule, and a rule that omits it would allow any other value. */
function assertNothingHidden({ hidden }: ApprovalRecord): void {
  if (hidden.length === 0) return
  const places = hidden.map(({ at }) => (at === '' ? 'others' : at)).join(', ')
  throw new HubError(
    'invalid',
    `"scope": a rule for these arguments cannot be proposed, since some of them are hidden (${places}). ` +
      'Approve it with the scope "once" or "session", or say in "rule" which tools and arguments it is for.',
  )
}

/** A tool may have any name. In a grant, a `*` in that name would match other tools too. */
function literal({ tool }: ApprovalRecord): string {
  if (!/[*?]/.test(tool)) return tool
  throw new HubError(
    'invalid',
    `"scope": the name of the tool "${tool}" would stand for others too. Approve it with the scope "once".`,
  )
}

async function checkFit({ id, tool, when }: GrantDraft, record: ApprovalRecord): Promise<void> {
  const grant = await compileGrant({ id, tool, when }).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error
    throw new HubError('invalid', `"rule" cannot be used: ${error.message}`, { cause: error })
  })
  if (fits(grant, record)) return
  throw new HubError(
    'invalid',
    `"rule" does not fit the call that it answers: ${record.tool} with the arguments as list_approvals shows them, without secrets.`,
  )
}

function fits(grant: CompiledGrant, { tool, arguments: args }: ApprovalRecord): boolean {
  try {
    return grant.matches({ tool, arguments: args })
  } catch (error) {
    throw new HubError('invalid', `"rule" cannot be used: ${messageOf(error)}.`, { cause: error })
  }
}
