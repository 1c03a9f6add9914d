/**
 * Codex does not say in its question whether a command is to run without the sandbox: a request for that without a
 * justification looks like any other. Its own record of the conversation has the arguments of the call, or, in code
 * mode, the scripts that call its tools.
 */
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { whyTooHeavy } from '../../base/json-weight.ts'
import { createPace } from '../../base/pace.ts'
import type { Serial } from '../../base/serial.ts'
import { createSerial } from '../../base/serial.ts'
import { readLines } from '../port/read-lines.ts'
import { isPlainScript } from './plain-script.ts'

/** A larger record is not read, so each command of its conversation counts as leaving the sandbox. */
const maxBytes = 64 * 1024 * 1024
/** Codex writes the call before it asks. This is for a slow disk. */
const tries = 10
const tryEveryMs = 100

const recorded = z.object({
  type: z.literal('response_item'),
  payload: z.discriminatedUnion('type', [
    z.object({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() }),
    z.object({ type: z.literal('custom_tool_call'), call_id: z.string(), name: z.string(), input: z.string() }),
    z.object({ type: z.literal('custom_tool_call_output'), call_id: z.string(), output: z.unknown().optional() }),
  ]),
})
type Recorded = z.output<typeof recorded>['payload']

/**
 * Whether the record shows that the call stays in the sandbox. `false` also means: it is not known. `oneByOne`: a record
 * may be long, so only one is read at a time.
 */
export async function staysInSandbox(
  rollout: (() => Promise<FileHandle>) | undefined,
  callId: string,
  oneByOne: Serial = createSerial(),
): Promise<boolean> {
  for (let left = tries; rollout !== undefined && left > 0; left--) {
    const known = judge(await oneByOne(() => readRecord(rollout, callId)), callId)
    if (known !== undefined) return known
    await sleep(tryEveryMs)
  }
  return false
}

/** `undefined`: the record does not have the call yet. */
function judge(lines: readonly Recorded[], callId: string): boolean | undefined {
  const calls = lines.flatMap((line) =>
    line.type === 'function_call' && line.call_id === callId ? line.arguments : [],
  )
  if (calls.length > 0) return calls.every(isPlainCall)
  // A script that has not ended may be the one that asks.
  const ended = new Set(
    lines.flatMap((line) => (line.type === 'custom_tool_call_output' && isEnd(line) ? line.call_id : [])),
  )
  const scripts = lines.flatMap((line) =>
    line.type === 'custom_tool_call' && !ended.has(line.call_id) ? line.input : [],
  )
  return scripts.length > 0 ? scripts.every(isPlainScript) : undefined
}

function isEnd({ output }: Extract<Recorded, { type: 'custom_tool_call_output' }>): boolean {
  return /^(\[\{"type":"input_text","text":)?"Script (completed|failed)/.test(JSON.stringify(output) ?? '')
}

/** What the record says about the call. The program writes the record, so it may hold anything. */
async function readRecord(open: () => Promise<FileHandle>, callId: string): Promise<readonly Recorded[]> {
  const found: Recorded[] = []
  const pace = createPace()
  try {
    if ((await sizeOf(open)) > maxBytes) return []
    for (let read = await readLines(open, 0); read; read = await readLines(open, read.end)) {
      for (const line of read.lines) {
        const startedAt = performance.now()
        if (!/"(function|custom_tool)_call/.test(line)) continue
        const payload =
          whyTooHeavy(Buffer.from(line)) === undefined ? recorded.safeParse(JSON.parse(line)).data?.payload : undefined
        if (payload && (payload.type !== 'function_call' || payload.call_id === callId)) found.push(payload)
        await pace(startedAt)
      }
    }
    return found
  } catch {
    return []
  }
}

async function sizeOf(open: () => Promise<FileHandle>): Promise<number> {
  await using file = await open()
  return (await file.stat()).size
}

const plainArguments = z.looseObject({ sandbox_permissions: z.literal('use_default').nullish() })

function isPlainCall(text: string): boolean {
  try {
    return plainArguments.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
