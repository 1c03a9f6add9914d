/**
 * Rules that an agent asks for. They take effect only when a person accepts them, as a new version of the session's
 * policy.
 */
import { randomBytes } from 'node:crypto'
import { HubError } from '../base/hub-error.ts'
import { holdsKnownSecret, withoutKnownSecrets } from '../base/known-secrets.ts'
import type { Redactor } from '../base/redact.ts'
import type { EventLog } from '../events/events.ts'
import type { Notices } from '../mcp/mcp.ts'
import { appendRules, compilePolicy } from '../policy/policy.ts'
import type { KnownSession } from './current-policies.ts'
import type { PolicyDocuments, SavedChange } from './policy-documents.ts'
import type { ProposalEnd, ProposalFilter, ProposalRecord, ProposalStore } from './proposal-store.ts'

export const proposalsUri = 'resource://policies/proposals'

export interface Proposals {
  list(filter: ProposalFilter): Promise<readonly ProposalRecord[]>
  propose(sessionId: string, rules: string, why: string): Promise<ProposalRecord>
  /** A session can withdraw only its own proposals. */
  withdraw(sessionId: string, id: string): Promise<ProposalRecord>
  accept(id: string, by: string, reason: string | undefined): Promise<DecidedProposal>
  reject(id: string, by: string, reason: string | undefined): Promise<DecidedProposal>
}

export interface DecidedProposal {
  readonly proposal: ProposalRecord
  /** The saved policy, if the proposal was accepted. */
  readonly change?: SavedChange
}

export interface ProposalsOptions {
  readonly rows: ProposalStore
  readonly documents: PolicyDocuments
  readonly events: Pick<EventLog, 'append'>
  readonly notices: Pick<Notices, 'resourceChanged'>
  readonly redactor: Pick<Redactor, 'forPerson'>
  readonly findSession: (nameOrId: string) => Promise<KnownSession>
  readonly maxEndedBytes: number
  readonly now: () => Date
}

const maxPending = 20
const maxProposedBytes = 16 * 1024
const maxProposedRules = 50
/** The scan for old proposals is slow, so it runs once for this many ended ones. */
const endsPerLook = 20

export function createProposals(options: ProposalsOptions): Proposals {
  const { rows, documents, events, notices, redactor, findSession, maxEndedBytes, now } = options
  let ends = 0

  async function found(id: string): Promise<ProposalRecord> {
    const proposal = await rows.find(id)
    if (proposal) return proposal
    throw new HubError('not-found', `No proposal with the id "${id}". Call list_policy_proposals for the ids.`)
  }

  async function pending(id: string): Promise<ProposalRecord> {
    const proposal = await found(id)
    if (proposal.status === 'pending') return proposal
    const { status, decidedBy, decidedAt } = proposal
    throw new HubError('conflict', `The proposal "${id}" was ${status} by ${decidedBy} at ${decidedAt}.`)
  }

  async function tell(type: 'policy-proposed' | 'policy-decided', proposal: ProposalRecord): Promise<void> {
    const { id, sessionId, rules, why, status, decidedBy, reason } = proposal
    notices.resourceChanged(proposalsUri)
    await events.append({ type, session: sessionId, payload: { id, rules, why, status, by: decidedBy, reason } })
  }

  async function end(ended: ProposalEnd): Promise<ProposalRecord> {
    // If another decision was faster, pending() throws an error that names who made it.
    if (!(await rows.end(ended))) await pending(ended.id)
    const proposal = await found(ended.id)
    await tell('policy-decided', proposal)
    if (ends++ % endsPerLook === 0) await rows.dropEnded(maxEndedBytes)
    return proposal
  }

  return {
    list: (filter) => rows.list(filter),
    async propose(sessionId, rules, given) {
      await checkProposed(rules)
      if (holdsKnownSecret(redactor, rules)) {
        throw new HubError(
          'invalid',
          '"rules": a secret of a connector stands in them, and secrets are kept in no policy. Write rules without it.',
        )
      }
      const why = withoutKnownSecrets(redactor, given)
      const { name } = await findSession(sessionId)
      const createdAt = now().toISOString()
      const id = `p${now().getTime().toString(36)}${randomBytes(3).toString('hex')}`
      if (!(await rows.insert({ id, sessionId, rules, why, createdAt }, maxPending))) {
        throw new HubError(
          'busy',
          `${maxPending} proposals of this session wait for a person. Withdraw one with policy_withdraw first.`,
        )
      }
      const undecided = { decidedAt: undefined, decidedBy: undefined, reason: undefined }
      const proposal: ProposalRecord = {
        ...undecided,
        id,
        sessionId,
        sessionName: name,
        rules,
        why,
        createdAt,
        status: 'pending',
      }
      await tell('policy-proposed', proposal)
      return proposal
    },
    async withdraw(sessionId, id) {
      const proposal = await rows.find(id)
      if (proposal?.sessionId !== sessionId) {
        throw new HubError('not-found', `This session has no proposal "${id}". policy_read lists its own.`)
      }
      await pending(id)
      return end({
        id,
        status: 'withdrawn',
        at: now().toISOString(),
        by: `session ${proposal.sessionName}`,
        reason: undefined,
      })
    },
    async accept(id, by, reason) {
      for (;;) {
        const { sessionId, rules, why } = await pending(id)
        const key = { scope: 'session', target: sessionId } as const
        const change = await documents.draft(key, (source) => appendRules(source, rules, `proposal ${id}: ${why}`), by)
        const ended = { id, status: 'accepted', at: change.saved.savedAt, by, reason } as const
        const outcome = await rows.endAndSave(ended, change.saved)
        // If the policy was saved meanwhile, add the rules to the new version.
        if (outcome !== 'done') continue
        await documents.announce(change.saved)
        const proposal = await found(id)
        await tell('policy-decided', proposal)
        return { proposal, change }
      }
    },
    async reject(id, by, reason) {
      await pending(id)
      return { proposal: await end({ id, status: 'rejected', at: now().toISOString(), by, reason }) }
    },
  }
}

async function checkProposed(rules: string): Promise<void> {
  if (Buffer.byteLength(rules) > maxProposedBytes) {
    throw new HubError('too-large', `"rules": at most ${maxProposedBytes} bytes are taken; propose fewer rules.`)
  }
  const proposed = await compilePolicy(rules, { scope: 'session', version: 0 })
  if (proposed.default !== undefined || proposed.isLocked) {
    throw new HubError('invalid', '"rules": a proposal has rules only; leave "default" and "locked" out.')
  }
  const count = proposed.rules.length
  if (count >= 1 && count <= maxProposedRules) return
  throw new HubError('invalid', `"rules": propose 1 to ${maxProposedRules} rules, such as "- allow: github_get_issue".`)
}
