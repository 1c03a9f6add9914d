/**
 * Whether Codex can answer now: its program starts, and has an account or needs none. It starts the server for a moment,
 * since only Codex itself knows its configuration.
 */
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Program, Reach } from '../../base/start-program.ts'
import { startProgram } from '../../base/start-program.ts'
import { accountSchema, needsSignIn, signInReason } from './account.ts'
import { introduction } from './app-server.ts'

/** It takes a third of a second, and much longer on a machine under load. */
const answerMs = 30_000
const endMs = 2_000

const requests = [
  { id: 1, method: 'initialize', params: introduction },
  { method: 'initialized' },
  { id: 2, method: 'account/read', params: { refreshToken: false } },
]
const accountAnswer = z.object({ id: z.literal(2), result: accountSchema })

/** `program`: without `app-server`. `undefined`: it can answer. */
export async function whyNotCodex(program: Program, reach: Reach, signal: AbortSignal): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(answerMs)
  const server = { ...program, args: [...program.args, 'app-server'] }
  const child = startProgram(server, reach, { stdio: 'pipe', signal: AbortSignal.any([signal, timeout]) })
  let said = ''
  let fault: string | undefined
  child.on('error', (error) => (fault = error.message))
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)))
  // It may have ended before it read everything.
  child.stdin.on('error', () => {})
  for (const request of requests) child.stdin.write(`${JSON.stringify(request)}\n`)
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { data } = accountAnswer.safeParse(parse(line))
      if (data) return needsSignIn(data.result) ? signInReason : undefined
    }
  } finally {
    child.stdin.end()
    child.kill()
    setTimeout(() => child.kill('SIGKILL'), endMs).unref()
  }
  signal.throwIfAborted()
  if (timeout.aborted) return `Codex did not answer within ${answerMs / 1_000} seconds.`
  const last = stripVTControlCharacters(said).trim().split('\n').at(-1)?.slice(0, 300)
  return `Codex does not start: ${fault ?? (last || 'it ended at once')}`.replace(/\.?$/, '.')
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
