import type { WaitInput, WaitOutput } from '../api/wait.ts'
import type { Call } from '../mcp/mcp.ts'

/** Blocks until the session shows or does what is asked for. Supplied from above: it is the same as wait_for's. */
export type Wait = (sessionId: string, input: WaitInput, call: Call) => Promise<WaitOutput>
