/**
 * Codex does not say in its question whether a command is to run without the sandbox: a request for that without a
 * justification looks like any other. Its own record of the conversation has the arguments of the call.
 */
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** The call is at the end of the file, among what came with it. */
const tailBytes = 1024 * 1024
/** Codex writes the call before it asks. This is for a slow disk. */
const tries = 10
const tryEveryMs = 100

const recordedCall = z.object({
  type: z.literal('response_item'),
  payload: z.object({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() }),
})

/** Whether the call stays in the sandbox, as far as the record shows it. `false` also means: it is not known. */
export async function staysInSandbox(rollout: string | undefined, callId: string): Promise<boolean> {
  for (let left = tries; rollout !== undefined && left > 0; left--) {
    const calls = (await readTail(rollout)).flatMap((line) => (line.includes(callId) ? argumentsIn(line, callId) : []))
    if (calls.length > 0) return calls.every(isPlain)
    await sleep(tryEveryMs)
  }
  return false
}

async function readTail(path: string): Promise<readonly string[]> {
  try {
    await using file = await open(path)
    const { size } = await file.stat()
    const start = Math.max(0, size - tailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.subarray(0, bytesRead).toString().split('\n')
  } catch {
    return []
  }
}

function argumentsIn(line: string, callId: string): readonly unknown[] {
  try {
    const call = recordedCall.safeParse(JSON.parse(line))
    return call.success && call.data.payload.call_id === callId ? [JSON.parse(call.data.payload.arguments)] : []
  } catch {
    return []
  }
}

const plainArguments = z.looseObject({ sandbox_permissions: z.literal('use_default').nullish() })

function isPlain(args: unknown): boolean {
  return plainArguments.safeParse(args).success
}
