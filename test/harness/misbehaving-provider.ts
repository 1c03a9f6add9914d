/** Tools that misbehave: one ignores its signal, others send more than a client can read. */
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import { defineTool, type Provider } from '../../src/mcp/mcp.ts'

export function createMisbehavingProvider(): Provider {
  const tools = [
    defineTool({
      name: 'test_deaf',
      description: 'Reports progress once, then never answers and ignores its signal.',
      input: z.strictObject({}),
      output: z.object({}),
      annotations: { readOnlyHint: true },
      run(_, call) {
        call.progress({ progress: 1 })
        return new Promise(() => {})
      },
    }),
    defineTool({
      name: 'test_flood',
      description: 'Sends this many bytes of progress as fast as it can, in pieces of 64 KiB.',
      input: z.strictObject({ bytes: z.int() }),
      output: z.object({ sent: z.int() }),
      annotations: { readOnlyHint: true },
      async run({ bytes }, call) {
        let sent = 0
        while (sent < bytes && !call.signal.aborted) {
          call.progress({ progress: sent, message: piece })
          sent += piece.length
          await turn()
        }
        return { sent }
      },
    }),
    defineTool({
      name: 'test_large',
      description: 'Answers with this many bytes.',
      input: z.strictObject({ bytes: z.int() }),
      output: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true },
      run: async ({ bytes }) => ({ words: 'x'.repeat(bytes) }),
    }),
  ]
  return { toolset: 'misbehaving', tools: () => tools }
}

const piece = 'x'.repeat(64 * 1024)
