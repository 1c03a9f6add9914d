/**
 * The program `codex app-server` in its holder. It listens on a free port of this machine, and wants a capability token
 * that its own environment does not have, so a command of the agent cannot answer for a person. The token is derived
 * from a secret of the hub, so that the next hub knows it too.
 */
import { createHash, createHmac } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { HubError } from '../../base/hub-error.ts'
import type { PipedProgram } from '../../terminal/terminal.ts'

export function tokenOf(key: Buffer, session: string): string {
  return createHmac('sha256', key).update(`codex ${session}`).digest('hex')
}

/** `port` 0: any that is free. */
export function listenArguments(token: string, port: number): readonly string[] {
  const hash = createHash('sha256').update(token).digest('hex')
  return ['--listen', `ws://127.0.0.1:${port}`, '--ws-auth', 'capability-token', '--ws-token-sha256', hash]
}

/** The server takes a second to start, and much longer on a machine under load. */
const startMs = 120_000
const lookEveryMs = 50

const keptUrl = /^\{"url":"(ws:\/\/127\.0\.0\.1:\d+)"\}\n$/

/** Waits until the server says where it listens. */
export async function addressOf(program: PipedProgram, directory: string): Promise<string> {
  const file = join(directory, 'codex-server.json')
  const until = performance.now() + startMs
  // Its first lines may be gone from a long record of errors, and later ones may repeat what the model said.
  const kept = keptUrl.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]
  if (kept !== undefined) return kept
  while (performance.now() < until) {
    const said = program.stderr().toString()
    const url = /listening on: (ws:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1]
    if (url !== undefined) {
      await writeFile(`${file}.new`, `${JSON.stringify({ url })}\n`, { mode: 0o600 })
      await rename(`${file}.new`, file)
      return url
    }
    if (program.status.is !== 'running') throw new HubError('unavailable', whyEnded(program))
    await sleep(lookEveryMs)
  }
  throw new HubError('unavailable', 'Codex did not start to listen. Start "codex app-server" by hand to see why.')
}

/** For people: why the server is gone. */
export function whyEnded(program: PipedProgram): string {
  const said = stripVTControlCharacters(program.stderr().toString())
  const lines = said
    .split('\n')
    .filter((line) => /^(error|thread '|.*\bERROR\b)/i.test(line) && !line.includes('bubblewrap'))
  const last = lines.at(-1)?.replace(/^\S+Z\s+ERROR\s+/, '')
  return `The server of Codex has ended${last === undefined ? '' : `: ${last.slice(0, 500)}`}. Codex 0.166 or newer is needed; update it with "npm install -g @openai/codex".`
}
