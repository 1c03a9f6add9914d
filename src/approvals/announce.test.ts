import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addSession, ann, ask, createApprovalWorld, pendingId, requestOf } from '../../test/worlds/approval-world.ts'
import { until } from '../../test/fixtures/until.ts'
import type { Hooks } from '../base/notify.ts'
import { openStore } from '../store/store.ts'

const environment = { PATH: '/usr/bin:/bin' }

async function useHub(hooks: Partial<Hooks>) {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-announce-'))
  const store = await openStore({ sqliteDir: directory })
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true })
  })
  const world = createApprovalWorld()
  const session = await addSession(store, 'fix')
  const start = () => world.start(store, { holdMs: 0, hooks: { environment, ...hooks } })
  return { ...world, start, store, session, request: requestOf(session), approvals: await start() }
}

/** A path for a hook to write to. */
function place(): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-hook-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return join(directory, 'told')
}

function linesOf(path: string): readonly string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

test('a command gets the approval on stdin and its names in the environment, without secrets', async () => {
  const told = place()
  const command = `{ echo "$SIGNALBOX_APPROVAL_ID $SIGNALBOX_APPROVAL_SESSION $SIGNALBOX_APPROVAL_TOOL"; cat; echo; } > ${told}.part && mv ${told}.part ${told}`
  const { approvals, session } = await useHub({ command })
  const { id } = await ask(approvals, requestOf(session, { arguments: { password: 'hunter2-hunter2' } })).outcome
  const [names, json] = await until(() => existsSync(told) && linesOf(told))
  expect(names).toBe(`${id} fix github_create_issue`)
  expect(JSON.parse(String(json))).toMatchObject({ id, status: 'pending', arguments: { password: '[redacted]' } })
})

test('a command runs with any tool name that an agent chooses', async () => {
  const told = place()
  const { approvals, session } = await useHub({ command: `echo "$SIGNALBOX_APPROVAL_TOOL" >> ${told}` })
  for (const tool of ['up_m\0eth\x1b[2J', `up_${'é'.repeat(900)}`])
    await ask(approvals, requestOf(session, { tool })).outcome
  await until(() => linesOf(told).length === 2)
  expect(linesOf(told).toSorted()).toEqual(['up_m\\u0000eth\\u001b[2J', `up_${'é'.repeat(900)}`])
})

test('a command gets an excerpt of large arguments and no possible secrets, while a person sees everything', async () => {
  const told = place()
  const { approvals, session } = await useHub({ command: `cat > ${told}.part && mv ${told}.part ${told}` })
  const args = { run: 'curl --token abc', text: 'y'.repeat(1_000_000) }
  const { id } = await ask(approvals, requestOf(session, { arguments: args })).outcome
  const [json] = await until(() => existsSync(told) && linesOf(told))
  expect(JSON.parse(String(json))).toMatchObject({ id, arguments: { run: 'curl --token [redacted]' } })
  expect(String(json).length).toBeLessThan(6_000)
  expect((await approvals.find(id)).arguments).toEqual(args)
})

test('the hub posts to a URL, and tries up to three times', async () => {
  const answers = [503, 500, 204]
  const { url, bodies } = await useServer(() => answers[bodies.length - 1] ?? 500)
  const { approvals, request, complaints } = await useHub({ url })
  const { id } = await ask(approvals, request).outcome
  await until(() => bodies.length === 3)
  for (const body of bodies) {
    expect(JSON.parse(body)).toMatchObject({
      approval: { id },
      text: `fix asks whether it may call github_create_issue: signalbox approvals show ${id}`,
    })
  }
  expect(complaints).toEqual([])
})

test('each approval is announced once, across restarts and several hubs', async () => {
  const told = place()
  const command = `echo "$SIGNALBOX_APPROVAL_ID" >> ${told}`
  const { approvals, request, session, start } = await useHub({ command })
  const { id } = await ask(approvals, request).outcome
  const next = await start()
  await Promise.all([approvals.sweep(), next.sweep(), (await start()).sweep()])
  await ask(next, request).outcome
  const { id: other } = await ask(next, requestOf(session, { arguments: {} })).outcome
  await until(() => linesOf(told).includes(other))
  expect(linesOf(told).toSorted()).toEqual([id, other].toSorted())
})

test('an approval that is older than the hook is announced by exactly one of many hubs', async () => {
  const told = place()
  const { approvals, request, store, session } = await useHub({})
  const { id } = await ask(approvals, request).outcome
  const world = createApprovalWorld()
  const hooks = { environment, command: `echo "$SIGNALBOX_APPROVAL_ID" >> ${told}` }
  const hubs = await Promise.all(Array.from({ length: 8 }, () => world.start(store, { holdMs: 0, hooks })))
  await until(() => linesOf(told).length > 0)
  const { id: later } = await ask(hubs[0]!, requestOf(session, { arguments: {} })).outcome
  await until(() => linesOf(told).includes(later))
  expect(linesOf(told)).toEqual([id, later])
})

test('a hook that hangs delays neither the call, nor the answer, nor the shutdown of the hub', async () => {
  const told = place()
  const { approvals, request } = await useHub({ command: `echo $$ >> ${told}; exec sleep 600` })
  await ask(approvals, request).outcome
  const [pid] = await until(() => linesOf(told).length > 0 && linesOf(told))
  onTestFinished(() => void process.kill(Number(pid), 'SIGKILL'))
  await approvals.decide(await pendingId(approvals), { decision: 'approve', scope: 'once' }, ann)
  expect((await ask(approvals, request).outcome).status).toBe('approved')
  await approvals[Symbol.asyncDispose]()
})

test('a command that fails leaves one line in the log, with its stderr', async () => {
  const { approvals, request, complaints } = await useHub({ command: 'echo "no bell here" >&2; exit 3' })
  const { id } = await ask(approvals, request).outcome
  await until(() => complaints.length > 0)
  await approvals.sweep()
  expect(complaints).toHaveLength(1)
  expect(complaints[0]).toContain(id)
  expect(complaints[0]).toContain('ended with 3: no bell here')
})

test('a URL that refuses connections leaves one line in the log, without the address', async () => {
  const { url, close } = await useServer(() => 200)
  await close()
  const { approvals, request, complaints } = await useHub({ url: `${url}hook/of-the-team` })
  await ask(approvals, request).outcome
  await until(() => complaints.length > 0)
  expect(complaints).toHaveLength(1)
  expect(complaints[0]).toContain('ECONNREFUSED')
  expect(complaints[0]).not.toContain('of-the-team')
})

async function useServer(statusOf: () => number) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      bodies.push(body)
      response.writeHead(statusOf()).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return { url: `http://127.0.0.1:${port}/`, bodies, close }
}
