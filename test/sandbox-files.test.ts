/**
 * What an agent can write, the hub does not follow: a confined agent leaves links and files where the hub reads, writes
 * or mounts. In real sandboxes.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requiresAll } from './harness/requires.ts'
import { createTempHome, type TempHome } from './harness/temp-home.ts'
import type { OwnHub } from './worlds/own-hub.ts'
import { failureOf, sessionOf, start, startSessionHub } from './worlds/session-hub.ts'

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

  let count = 0
  /** Runs a script to its end in a sandbox, in this workspace. Returns what it prints. */
  async function run(workspace: string, script: string, sandbox: object = none): Promise<string> {
    const name = `run-${++count}`
    mkdirSync(at(`out/${name}`), { recursive: true })
    const writing = {
      ...none,
      ...sandbox,
      write: [...((sandbox as { write?: string[] }).write ?? []), at(`out/${name}`)],
    }
    const command = `{ ${script}; } > ${at(`out/${name}/text`)} 2>&1; touch ${at(`out/${name}/done`)}`
    await start(hub, name, command, { sandbox: writing, working_dir: at(workspace) })
    await expect.poll(() => existsSync(at(`out/${name}/done`)), patience).toBe(true)
    return readFileSync(at(`out/${name}/text`), 'utf8')
  }
  const refused = (workspace: string, sandbox: object = none) =>
    failureOf(hub, 'create_session', { name: 'refused', command: 'true', working_dir: at(workspace), sandbox })

  test('leaves no link at a path that a later sandbox names, also if its own session was removed', async () => {
    put('project/readme', 'text')
    put('other/readme', 'text')
    put('.ssh/id', mark)
    await run('project', `ln -s ${at('.ssh')} cache; mkdir deep; ln -s ${at('.ssh')} deep/link`)
    for (const name of ['cache', 'deep/link']) expect(existsSync(at(`project/${name}/id`))).toBe(true)
    await hub.call('kill_session', { name: 'run-1', remove: true })
    await hub.restart('SIGKILL')
    const named = ['~/project/cache', '~/project/deep/link/'].flatMap((path) => [{ write: [path] }, { read: [path] }])
    for (const sandbox of [...named, { write: ['~/project/deep/link/made/'] }]) {
      const path = Object.values(sandbox)[0]![0]!.replace('~', home.path)
      const out = await run('other', `cat ${path}/id; echo 1 > ${path}/planted; cat ${at('.ssh/id')}`, {
        ...none,
        ...sandbox,
      })
      expect(out).not.toContain(mark)
    }
    expect(readdirSync(at('.ssh'))).toEqual(['id'])
  })

  test('leaves no link in place of a directory in which a later session works', async () => {
    put('outer/inner/readme', 'text')
    put('keys/id', mark)
    mkdirSync(at('outer/gone'))
    await run('outer', `mv inner aside; ln -s ${at('keys')} inner; rmdir gone; ln -s ${home.path} gone`)
    expect(await refused('outer/inner')).toContain('an agent may have replaced it')
    expect(await refused('outer/gone')).toContain('an agent may have replaced it')
    // A link of the person still leads to a workspace.
    symlinkSync(at('other'), at('mine'))
    expect(await run('mine', 'cat readme')).toBe('text')
  })

  test('gets by no link a workspace of a session that is resumed, and none has a record of such a folder', async () => {
    put('around/inside/readme', 'text')
    put('vault/id', mark)
    const resumable = {
      name: 'resumable',
      command: 'bash',
      args: ['-c', 'exit 0', '{conversation}'],
      conversation: { start: ['{conversation_id}'], resume: ['{conversation_id}'] },
    }
    await hub.call('save_template', { payload: resumable })
    const sandbox = none
    await hub.call('create_session', { name: 'b', template: 'resumable', working_dir: at('around/inside'), sandbox })
    await expect.poll(async () => (await sessionOf(hub, 'b')).can_resume, patience).toBe(true)
    const swap = `mv inside aside; ln -s ${at('vault')} inside; touch swapped; cat`
    await start(hub, 'a', swap, { sandbox, working_dir: at('around') })
    await expect.poll(() => existsSync(at('around/swapped')), patience).toBe(true)
    expect(await failureOf(hub, 'resume_session', { name: 'b' })).toContain('an agent may have replaced it')
    const created = { name: 'c', command: 'cat', working_dir: at('around/inside'), sandbox }
    expect(await failureOf(hub, 'create_session', created)).toContain('an agent may have replaced it')
    expect(await failureOf(hub, 'get_session', { name: 'c' })).toContain('There is no session "c"')
  })
})
