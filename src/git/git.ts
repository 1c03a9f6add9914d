/** Git in places that agents can write. */
export type { AgentGit } from './agent-git.ts'
export { createAgentGit, repositoryFor } from './agent-git.ts'
export type { ScriptRunner } from './run-script.ts'
export { createScriptRunner } from './run-script.ts'
export { assertNotBare, gitOf, readOnlyGit } from './repository.ts'
export type { ReadingGit } from './worktree.ts'
export { createReadingGit, makeWorktree, reachOfReadingGit, removeWorktree, repositoryAround } from './worktree.ts'
