/**
 * A template's policy stays in force when the template's file changes or disappears. Each call here is a real one,
 * through the gate.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import type { Target } from '../http/exchange.ts'
import { modern, modernSpec } from '../http/modern-request.ts'
import { namesIn, script } from './questions.ts'
import { type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

const denied = -32951
const undecided = -32953

let world: ScriptedWorld
let up: ScriptedUpstream
let folder: string
let sessions = 0
beforeAll(async () => {
  world = await startScriptedWorld({ SIGNALBOX_LOG_LEVEL: 'error' })
  const lists = { tools: [{ name: 'script', inputSchema: { type: 'object' } }] }
  // Shared, because a restart of the hub would start one process for every session.
  up = await world.upstream('up', { lists, options: { shared: true } })
  folder = join(world.home, 'templates')
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
})

const fileOf = (name: string) => join(folder, `${name}.json`)

function templateText(name: string, policy: string | undefined = '- deny: up_script'): string {
  return JSON.stringify({ name, command: 'cat', args: [], ...(policy !== '' && { policy }) })
}

function write(name: string, policy?: string): void {
  writeFileSync(fileOf(name), templateText(name, policy))
}

/** Starts a session of this template, whose agent could call the upstream if no policy denied it. */
async function start(template: string): Promise<Target & { readonly name: string }> {
  const name = `agent-${++sessions}`
  await world.call('create_session', { name, template })
  await world.bind(name, 'up')
  const agent = { ...(await world.another(name)), name }
  // The upstream's tool is denied, so no list shows it. This tool is the mount's own.
  await until(async () => namesIn(await modern(agent, 'tools/list')).length > 0)
  return agent
}

/** Returns the code that a call ends with under the current files. 0: the call reached the upstream. */
async function outcome(agent: Target): Promise<number> {
  await lookAgain()
  const before = up.received('tools/call').length
  const { body } = await modern(agent, 'tools/call', script([]))
  const code = (body as { error?: { code: number } }).error?.code ?? 0
  expect(up.received('tools/call').length - before, JSON.stringify(body)).toBe(code === 0 ? 1 : 0)
  return code
}

/** Saving makes the hub read every document again. Otherwise it does so once a second. */
async function lookAgain(): Promise<void> {
  await world.call('set_policy', { scope: 'hub', source: 'default: allow' })
}

test('an editor that renames the file and writes a new one opens no gap', async () => {
  write('guarded')
  const agent = await start('guarded')
  expect(await outcome(agent)).toBe(denied)
  renameSync(fileOf('guarded'), `${fileOf('guarded')}~`)
  expect(await outcome(agent)).toBe(denied)
  write('guarded', '- abort: up_script')
  expect(await outcome(agent)).toBe(-32950)
  rmSync(fileOf('guarded'))
  expect(await outcome(agent)).toBe(-32950)
})

test('a changed policy is kept for a session that makes no call before the file is gone', async () => {
  write('guarded', '- allow: up_script')
  const agent = await start('guarded')
  write('guarded', '- deny: up_script')
  await until(async () => keptIn(world.home).every(({ source }) => source === '- deny: up_script'))
  rmSync(fileOf('guarded'))
  expect(await outcome(agent)).toBe(denied)
})

test('a template that never had a policy does not restrict its sessions', async () => {
  write('free', '')
  const agent = await start('free')
  rmSync(fileOf('free'))
  expect(await outcome(agent)).toBe(0)
})

test.each([
  ['half-written', '{"name": "guarded", "comm'],
  ['not a template', '{"name": "guarded", "comand": "cat"}'],
  ['one whose policy cannot be understood', templateText('guarded', '- alow: x')],
])('a file that is %s lets no call through', async (_, text) => {
  write('guarded', '- allow: up_script')
  const agent = await start('guarded')
  expect(await outcome(agent)).toBe(0)
  writeFileSync(fileOf('guarded'), text)
  expect(await outcome(agent)).toBe(undecided)
  write('guarded', '- allow: up_script')
  expect(await outcome(agent)).toBe(0)
})

test('delete_template names the sessions that stay under its policy', async () => {
  write('deleted')
  const agent = await start('deleted')
  expect(await world.call('delete_template', { name: 'deleted' })).toEqual({
    name: 'deleted',
    sessions: [agent.name],
    note: expect.stringMatching(/policy.*stays in force/) as string,
  })
  expect(await outcome(agent)).toBe(denied)
  await world.restart('SIGKILL')
  expect(await outcome(agent)).toBe(denied)
  await world.call('kill_session', { name: agent.name })
  write('deleted')
  expect(await world.call('delete_template', { name: 'deleted' })).toEqual({ name: 'deleted', sessions: [] })
})

describe('a person’s template in the place of a shipped one', () => {
  test('is not replaced by the shipped one when it is broken or gone', async () => {
    write('shell')
    const agent = await start('shell')
    expect(await outcome(agent)).toBe(denied)
    writeFileSync(fileOf('shell'), '{"name": "shell",')
    expect(await outcome(agent)).toBe(undecided)
    rmSync(fileOf('shell'))
    expect(await outcome(agent)).toBe(denied)
    await world.restart('SIGTERM')
    expect(await outcome(agent)).toBe(denied)
  })

  test('starts no session while it is broken', async () => {
    writeFileSync(fileOf('shell'), '{"name": "shell",')
    await expect(world.call('create_session', { name: 'never', template: 'shell' })).rejects.toThrow(
      /The template "shell" is broken.*shell\.json.*delete it to use the shipped one/s,
    )
  })

  test('starts no session while its policy cannot be used', async () => {
    write('shell', '- alow: x')
    await expect(world.call('create_session', { name: 'never', template: 'shell' })).rejects.toThrow(
      /policy of the template "shell".*line 1/s,
    )
  })
})

describe('a folder that cannot be read', () => {
  test.each<readonly [string, () => void]>([
    ['a file in its place', () => writeFileSync(folder, '')],
    ['a link to itself', () => symlinkSync(folder, folder)],
    ['nothing in its place', () => {}],
  ])('does not count as a folder without templates: %s', async (_, replace) => {
    write('guarded')
    const agent = await start('guarded')
    renameSync(folder, `${folder}.away`)
    try {
      replace()
      expect(await outcome(agent)).toBe(denied)
      // A template of yours may replace the shipped one.
      await expect(world.call('create_session', { name: 'never', template: 'shell' })).rejects.toThrow(
        /cannot look up.*templates/s,
      )
      const { broken } = await world.call('list_templates')
      expect(broken).toEqual([expect.objectContaining({ path: folder })])
    } finally {
      rmSync(folder, { force: true })
      renameSync(`${folder}.away`, folder)
    }
    expect(await outcome(agent)).toBe(denied)
  })

  test('does not count as empty when descriptors run out', async () => {
    write('guarded')
    const agent = await start('guarded')
    using line = openLine(world.port)
    const call = async () => {
      await line.send(world, 'tools/call', {
        name: 'set_policy',
        arguments: { scope: 'hub', source: 'default: allow' },
      })
      return line.send(agent, 'tools/call', script([]))
    }
    expect(await call()).toMatchObject({ error: { code: denied } })
    const { pid } = world.process
    const open = readdirSync(`/proc/${pid}/fd`).map(Number)
    const limit = (descriptors: string | number) =>
      execFileSync('prlimit', ['--pid', String(pid), `--nofile=${descriptors}:`])
    const before = /Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))![1]!
    let free = 0
    while (open.includes(free)) free++
    limit(free)
    try {
      expect(await call()).toMatchObject({ error: { code: denied } })
    } finally {
      limit(before)
    }
  })
})

describe('a session with which no policy is stored', () => {
  /** Makes the session look like one that an older hub started. */
  async function age(change: () => void): Promise<void> {
    await world.end('SIGTERM')
    using database = new DatabaseSync(join(world.home, 'hub.db'))
    database.exec('delete from session_template_policies')
    change()
    await world.restart('SIGTERM')
  }

  test('may call nothing while its template is unknown', async () => {
    write('guarded', '- allow: up_script')
    const agent = await start('guarded')
    await age(() => rmSync(fileOf('guarded')))
    expect(await outcome(agent)).toBe(undecided)
    write('guarded', '- allow: up_script')
    expect(await outcome(agent)).toBe(0)
  })

  test('gets the policy that its template has when the hub starts', async () => {
    write('guarded')
    const agent = await start('guarded')
    await age(() => {})
    rmSync(fileOf('guarded'))
    expect(await outcome(agent)).toBe(denied)
  })
})

function keptIn(home: string): readonly { readonly source: string | null }[] {
  using database = new DatabaseSync(join(home, 'hub.db'), { readOnly: true })
  return database.prepare('select source from session_template_policies').all() as { source: string | null }[]
}

/** Sends requests on one socket, so that the hub needs no further descriptor. */
function openLine(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function send({ token }: Pick<Target, 'token'>, method: string, params: object): Promise<unknown> {
    const { headers, body } = modernSpec(method, params)
    const sent = {
      ...(headers as Record<string, string>),
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    return new Promise((resolve, reject) => {
      const sending = request({ host: '127.0.0.1', port, method: 'POST', path: '/mcp', headers: sent, agent })
      sending.on('error', reject).on('response', (response) => {
        void response.toArray().then((chunks) => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))), reject)
      })
      sending.end(JSON.stringify(body))
    })
  }
  return { send, [Symbol.dispose]: () => agent.destroy() }
}
