/**
 * What an agent can write, the hub does not follow: a confined agent leaves links and files where the hub reads, writes
 * or mounts. In real sandboxes.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { sessionOf, startSessionHub } from './worlds/session-hub.ts'

const { describe } = requiresAll('bwrap', 'socat')

const patience = { timeout: 60_000, interval: 50 }
const none = { network: 'none' }
/** Text that no confined agent may see. */
const mark = 'Zanzibar'

let home: TempHome
let hub: OwnHub
const at = (path: string) => join(home.path, path)

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

describe('a confined agent', () => {
  beforeAll(async () => {
    home = await createTempHome()
    hub = await startSessionHub({ HOME: home.path, SIGNALBOX_SANDBOX: 'required' })
  })
  afterAll(async () => {
    await hub[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  /** Claude Code and Gemini CLI say in a hook where they keep the conversation. */
  const agents = {
    claude: {
      folder: '.claude',
      fileOf: (id: string) => `${id}.jsonl`,
      said: (text: string) => ({ type: 'user', uuid: text, message: { role: 'user', content: text } }),
    },
    gemini: {
      folder: '.gemini',
      fileOf: (id: string) => `session-2026-11-17T04-58-${id.slice(0, 8)}.jsonl`,
      said: (text: string) => ({ type: 'user', id: text, timestamp: '2026-11-17T04:58:00.000Z', content: [{ text }] }),
    },
  }

  test.each(['claude', 'gemini'] as const)(
    'reads as its thread no conversation that its sandbox does not show (%s)',
    async (agent) => {
      const { folder, fileOf, said } = agents[agent]
      const ids = [1, 2, 3, 4].map((n) => `c000000${n}-0000-4000-8000-00000000000${n}`)
      const [outside, linked, replaced, own] = ids as [string, string, string, string]
      const line = (text: string) => `${JSON.stringify(said(text))}\n`
      for (const id of [outside, linked, replaced]) put(`private-${agent}/${fileOf(id)}`, line(mark))
      put(`${folder}/chats/${fileOf(own)}`, line('of its own'))
      symlinkSync(at(`private-${agent}`), at(`${folder}/link`))
      symlinkSync(at(`private-${agent}/${fileOf(replaced)}`), at(`${folder}/${fileOf(replaced)}`))
      const hooks = [
        [outside, at(`private-${agent}/${fileOf(outside)}`)],
        [linked, at(`${folder}/link/${fileOf(linked)}`)],
        [linked, at(`${folder}/../private-${agent}/${fileOf(linked)}`)],
        [replaced, at(`${folder}/${fileOf(replaced)}`)],
      ] as const
      put(
        `work-${agent}/script.sh`,
        [
          'report() {',
          `  curl -s -H "Authorization: Bearer $SIGNALBOX_TOKEN" -H 'Content-Type: application/json' -d "{\\"hook_event_name\\":\\"SessionStart\\",\\"session_id\\":\\"$1\\",\\"transcript_path\\":\\"$2\\"}" "\${SIGNALBOX_URL%/mcp}/hooks/${agent}"`,
          '}',
          ...hooks.map(([id, path], n) => `report ${id} ${path}; until [ -e next-${n} ]; do sleep 0.05; done`),
          `report ${own} ${at(`${folder}/chats/${fileOf(own)}`)}`,
          'exec cat',
        ].join('\n'),
      )
      const template = { name: `mine-${agent}`, agent, command: 'bash', args: ['script.sh'] }
      await hub.call('save_template', { payload: template })
      const { id } = (await hub.call('create_session', {
        name: `reading-${agent}`,
        template: template.name,
        working_dir: at(`work-${agent}`),
        sandbox: { write: [`~/${folder}/`], ...none },
      })) as { id: string }
      const thread = async () => JSON.stringify(await hub.call('read_thread', { session: id }).catch(String))
      for (const [n, [, path]] of hooks.entries()) {
        const shown = async () => `${(await sessionOf(hub, id)).last_message} ${await thread()}`
        await expect.poll(shown, patience).toMatch(new RegExp(`${mark}|${path}`))
        expect(await shown()).not.toContain(mark)
        writeFileSync(at(`work-${agent}/next-${n}`), '')
      }
      await expect.poll(thread, patience).toContain('of its own')
      expect(await thread()).not.toContain(mark)
    },
  )
})
