/** What an approval leaves behind when it is given for more than one call. */
import { randomBytes } from 'node:crypto'
import type { ApprovalScope } from '../api/approval.ts'
import { HubError } from '../base/hub-error.ts'
import { compileGrant } from '../policy/policy.ts'
import type { ApprovalRecord, GrantRecord, JsonObject } from './approval-record.ts'

/** What a person wants to allow from now on. */
export interface GrantRule {
  /** As in a policy: `*` stands for anything. */
  readonly tool: string
  /** JSON Schema on the arguments. */
  readonly when?: JsonObject | undefined
  /** Only in the session that asked. */
  readonly session?: boolean | undefined
}

export type GrantDraft = Pick<GrantRecord, 'id' | 'sessionId' | 'sessionName' | 'tool' | 'when' | 'approvalId'>

/** `undefined`: it is for this call alone. Throws where the rule is wrong, or does not fit the call it answers. */
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

/** As narrow as it can be: this tool with these arguments, in whichever session. */
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

/** A secret is not written into a rule, and a rule without it would be for any other value too. */
function assertNothingHidden({ hidden }: ApprovalRecord): void {
  if (hidden.length === 0) return
  const places = hidden.map(({ at }) => (at === '' ? 'others' : at)).join(', ')
  throw new HubError(
    'invalid',
    `"scope": a rule for these arguments cannot be proposed, since some of them are hidden (${places}). ` +
      'Approve it with the scope "once" or "session", or say in "rule" which tools and arguments it is for.',
  )
}

/** A tool may be called anything; in a grant, `*` would stand for all the others too. */
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
  if (grant.matches({ tool: record.tool, arguments: record.arguments })) return
  throw new HubError(
    'invalid',
    `"rule" does not fit the call that it answers: ${record.tool} with the arguments as list_approvals shows them, without secrets.`,
  )
}
