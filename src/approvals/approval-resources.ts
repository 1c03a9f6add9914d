/** The resources `resource://approvals/pending`, `resource://grants`, one approval, and the approvals of one session. */
import { isNotFound } from '../base/hub-error.ts'
import type { Resource, ResourceTemplate, Variables } from '../mcp/mcp.ts'
import { approvalUri, grantsUri, pendingUri, sessionApprovalsUri } from './approval-uris.ts'
import { grantToWire, toPage, toWire } from './approval-wire.ts'
import type { Approvals } from './approval.ts'

export interface ApprovalProviderOptions {
  readonly approvals: Approvals
  /** Takes a name or an id. Throws if there is no such session. */
  readonly findSession: (nameOrId: string) => Promise<{ readonly id: string }>
}

/** If there are more, the answer has a `next_cursor` for list_approvals. */
const mostListed = 200
const mimeType = 'application/json'

export function createApprovalResources({ approvals, findSession }: ApprovalProviderOptions): {
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
} {
  const template = (uriTemplate: string, name: string, description: string, look: (id: string) => Promise<object>) => ({
    uriTemplate,
    name,
    description,
    mimeType,
    async read(uri: string, { id }: Variables) {
      const found = await unlessMissing(() => look(String(id)))
      return found && contents(uri, found)
    },
  })
  return {
    resources: [
      {
        uri: pendingUri,
        name: 'approvals-pending',
        description: 'Calls of agents that wait for a person, newest first.',
        mimeType,
        async read() {
          const pending = await approvals.list({ status: 'pending', limit: mostListed + 1 })
          return contents(pendingUri, toPage(pending, mostListed))
        },
      },
      {
        uri: grantsUri,
        name: 'grants',
        description: 'What was allowed for more than one call, newest first.',
        mimeType,
        read: async () => contents(grantsUri, { grants: (await approvals.listGrants({})).map(grantToWire) }),
      },
    ],
    resourceTemplates: [
      template(approvalUri('{id}'), 'approval', 'One approval, with all its arguments.', async (id) =>
        toWire(await approvals.find(id)),
      ),
      template(
        sessionApprovalsUri('{id}'),
        'session-approvals',
        'The approvals of one session, by name or id, with every status, newest first.',
        async (session) => {
          const { id } = await findSession(session)
          return toPage(await approvals.list({ sessionId: id, limit: mostListed + 1 }), mostListed)
        },
      ),
    ],
  }
}

/** `undefined`: there is no such resource. */
async function unlessMissing(look: () => Promise<object>): Promise<object | undefined> {
  try {
    return await look()
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

function contents(uri: string, value: object) {
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] }
}
