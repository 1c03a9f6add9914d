/** All migrations, oldest first. Add new ones at the end, and do not edit released ones. */
import type { MigrationSet } from './migration.ts'
import { hubBaseSchema } from './hub/base-schema.ts'
import { tokens } from './hub/0001-tokens.ts'
import { sessions } from './hub/0002-sessions.ts'
import { connectors } from './hub/0003-connectors.ts'
import { policies } from './hub/0004-policies.ts'
import { approvals } from './hub/0005-approvals.ts'
import { gateway } from './hub/0006-gateway.ts'
import { approvalParents } from './hub/0007-approval-parents.ts'
import { sessionActivity } from './hub/0008-session-activity.ts'
import { approvalExcerpts } from './hub/0009-approval-excerpts.ts'
import { sessionTemplatePolicies } from './hub/0010-session-template-policies.ts'
import { endedApprovals } from './hub/0011-ended-approvals.ts'
import { conversations } from './hub/0012-conversations.ts'
import { workspaceFolders } from './hub/0013-workspace-folders.ts'
import { sessionDriver } from './hub/0014-session-driver.ts'
import { jobPrompts } from './hub/0015-job-prompts.ts'
import { worktrees } from './hub/0016-worktrees.ts'
import { loginCodes } from './hub/0017-login-codes.ts'
import { threads } from './hub/0018-threads.ts'
import { turns } from './hub/0019-turns.ts'
import { chat } from './hub/0020-chat.ts'
import { routes } from './hub/0021-routes.ts'
import { switchedThreads } from './hub/0022-switched-threads.ts'
import { repositories } from './hub/0023-repositories.ts'
import { sessionSandbox } from './hub/0024-session-sandbox.ts'
import { turnUsage } from './hub/0025-turn-usage.ts'
import { pushSubscriptions } from './hub/0026-push-subscriptions.ts'
import { chatRelations } from './hub/0027-chat-relations.ts'
import { connectorConsents } from './hub/0028-connector-consents.ts'
import { worktreeSandbox } from './hub/0029-worktree-sandbox.ts'
import { connections } from './transient/0001-connections.ts'
import { changedLists } from './transient/0002-changed-lists.ts'
import { answersIfLost } from './transient/0003-answers-if-lost.ts'
import { connectionEndpoints } from './transient/0004-connection-endpoints.ts'

export type { Migration, MigrationSet } from './migration.ts'
export { checksumOf, creationStatements } from './migration.ts'

export const hubMigrations: MigrationSet = {
  name: 'hub',
  migrations: [
    tokens,
    sessions,
    connectors,
    policies,
    approvals,
    gateway,
    approvalParents,
    sessionActivity,
    approvalExcerpts,
    sessionTemplatePolicies,
    endedApprovals,
    conversations,
    workspaceFolders,
    sessionDriver,
    jobPrompts,
    worktrees,
    loginCodes,
    threads,
    turns,
    chat,
    routes,
    switchedThreads,
    repositories,
    sessionSandbox,
    turnUsage,
    pushSubscriptions,
    chatRelations,
    connectorConsents,
    worktreeSandbox,
  ],
  base: hubBaseSchema,
}

export const transientMigrations: MigrationSet = {
  name: 'transient',
  migrations: [connections, changedLists, answersIfLost, connectionEndpoints],
}
