/** A hub under fuzzing, with the checks that must hold and the bystanders that must not be affected. */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { z } from 'zod'
import { type HubProcess, startHubProcess } from '../worlds/hub-process.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'

export interface FuzzedHub extends AsyncDisposable {
  readonly port: number
  readonly home: string
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  issueToken(args: { readonly role: 'human' } | { readonly role: 'agent'; readonly session: string }): Promise<string>
  /** Records an answer that a hub without faults does not give. */
  inspect(sent: string, received: string): void
  /** Ends the sessions that the fuzzing has started. */
  endSessions(): Promise<void>
  /** Call it after all lazy code is loaded, because loading takes long and does not count as a stall. */
  forgetStalls(): Promise<void>
  /** The heap after a garbage collection. Fails if the event loop stalled since the last call. */
  heapMb(): Promise<number>
  /** Fails on any fault so far, and if the bystanders or a new client are not served. */
  expectSound(): Promise<void>
}

/** Ignores every key that would end it. */
export const lastingCommand = `trap '' INT TERM QUIT TSTP; while :; do cat; sleep 0.1; done`
const ownSessions = ['fuzz-agent', 'bystander']
const terminalTools = ['send_text', 'send_keys', 'get_pty_info', 'read_scrollback', 'search_scrollback']
const maxStallMs = 200

/** `fault` matches no answer of a hub without faults. */
export async function startFuzzedHub({ fault }: { readonly fault: RegExp }): Promise<FuzzedHub> {
  await using stack = new AsyncDisposableStack()
  const home = stack.use(await createTempHome())
  const hub = stack.use(
    await startHubProcess({
      home: home.path,
      nodeFlags: ['--expose-gc', '--import', new URL('watch-hub.ts', import.meta.url).href],
      ipc: true,
      env: {
        SIGNALBOX_LOG_LEVEL: 'error',
        SIGNALBOX_DEFAULT_TEMPLATE: 'shell',
        SIGNALBOX_REPOSITORY_MCP_PORT: 'off',
      },
    }),
  )
  const call: FuzzedHub['call'] = (tool, args) => callTool(hub, tool, args)
  await call('set_policy', { scope: 'hub', source: 'default: allow' })
  for (const name of ownSessions) await call('create_session', { name, command: lastingCommand, tools: terminalTools })
  const issueToken: FuzzedHub['issueToken'] = async (args) => String((await call('issue_token', args))['token'])
  const faults: string[] = []
  const bystander = stack.use(await startBystander(hub, await issueToken({ role: 'agent', session: 'bystander' })))
  const opened = stack.move()

  return {
    port: hub.port,
    home: home.path,
    call,
    issueToken,
    inspect(sent, received) {
      const at = received.search(fault)
      if (at >= 0)
        faults.push(`${sent.slice(0, 1_000)} was answered with ${received.slice(Math.max(0, at - 100), at + 300)}`)
    },
    async endSessions() {
      const { sessions } = sessionList.parse(await call('list_sessions', { limit: 500 }))
      const others = sessions.filter(({ name }) => !ownSessions.includes(name))
      for (const { name } of others) await call('kill_session', { name }).catch(() => {})
    },
    async forgetStalls() {
      await look(hub)
    },
    async heapMb() {
      const { heapUsed, longestStallMs } = await look(hub)
      console.log({ heapMb: Math.round(heapUsed / 1e5) / 10, longestStallMs: Math.round(longestStallMs) })
      expect(longestStallMs, 'the longest stall of the event loop').toBeLessThan(maxStallMs)
      return heapUsed / 1e6
    },
    async expectSound() {
      expect(faults.slice(0, 5)).toEqual([])
      expect(hub.log()).toBe('')
      await bystander.undisturbed()
      await call('hub_status')
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const sessionList = z.object({ sessions: z.array(z.object({ name: z.string() })) })
const watched = z.object({ heapUsed: z.number(), longestStallMs: z.number() })

async function look(hub: HubProcess): Promise<z.output<typeof watched>> {
  const answer = once(hub.process, 'message')
  hub.process.send('look')
  return watched.parse((await answer)[0])
}

/** A person and an agent that work during the whole run. Each of their calls must succeed. */
async function startBystander(hub: HubProcess, token: string) {
  const person = await connectLegacy(hub)
  let rounds = 0
  let isOver = false
  const work = (async () => {
    for (; !isOver; rounds++) {
      const status = await person.request('tools/call', { name: 'hub_status', arguments: {} })
      expect(status).toHaveProperty('result.structuredContent.name', 'signalbox')
      const listed = await modern({ port: hub.port, token }, 'tools/list')
      expect(listed.body).toHaveProperty('result.tools')
      const read = await modern({ port: hub.port, token }, 'tools/call', { name: 'policy_read', arguments: {} })
      expect(read.body).toHaveProperty('result.structuredContent')
      await pause(50)
    }
  })()
  work.catch(() => {})
  return {
    async undisturbed() {
      const target = rounds + 2
      while (rounds < target) await Promise.race([work, pause(5)])
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      await work.catch(() => {})
    },
  }
}
