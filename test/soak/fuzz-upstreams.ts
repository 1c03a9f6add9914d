/** Agents that list and call the tools of hostile upstreams. */
import { fileURLToPath } from 'node:url'
import { exchange, type RequestSpec } from '../http/exchange.ts'
import { connectLegacy } from '../http/legacy-connection.ts'
import { modernSpec } from '../http/modern-request.ts'
import type { Dice } from './fuzz-values.ts'
import type { FuzzedHub } from './fuzzed-hub.ts'
import { serveHostile } from './hostile-upstream.ts'

export interface HostileUpstreams extends AsyncDisposable {
  /** Sends this many requests. */
  use(dice: Dice, requests: number, era: 'legacy' | 'modern'): Promise<void>
  /** How many calls and prompts each upstream has answered with a result. */
  readonly results: ReadonlyMap<string, number>
}

const callMs = 1_000
const able = { elicitation: {}, sampling: {}, roots: {} }
const requestsPerConnection = 40

export async function bindHostile(hub: FuzzedHub, seed: number): Promise<HostileUpstreams> {
  await using stack = new AsyncDisposableStack()
  const program = fileURLToPath(new URL('hostile-upstream.ts', import.meta.url))
  const names: string[] = []
  const results = new Map<string, number>()
  for (const era of ['legacy', 'modern'] as const) {
    for (const transport of ['stdio', 'http'] as const) {
      for (const strict of [true, false]) {
        const name = `${era}-${transport}-${strict ? 'strict' : 'lax'}`
        const own = seed + names.length
        const place =
          transport === 'stdio'
            ? { cmd: process.execPath, args: [program, String(own), era, `${hub.home}/${name}.starts`] }
            : { base_url: stack.use(await serveHostile(own, era)).url }
        const options = { era, call_ms: callMs, handshake_ms: 5_000 }
        await hub.call('save_connector', { name, transport, ...place, options, strict })
        results.set(name, 0)
        const label = `u${names.push(name)}`
        await hub.call('bind_connector', { session: 'fuzz-agent', connector: name, label })
      }
    }
  }
  const target = { port: hub.port, token: await hub.issueToken({ role: 'agent', session: 'fuzz-agent' }) }
  const opened = stack.move()

  function draft(dice: Dice): [method: string, params: object] {
    const label = `u${1 + dice.below(names.length)}`
    const name = `${label}_${dice.pick(['one', 'two', 'three', 'four'])}`
    const progress = dice.chance(0.3) ? { _meta: { progressToken: dice.below(20) } } : {}
    return dice.pick<[string, object]>([
      ['tools/list', {}],
      ['tools/call', { name, arguments: { a: 'x' }, ...progress }],
      ['tools/call', { name, arguments: {}, ...progress }],
      ['tools/call', { name: 'search_tools', arguments: { query: 'nothing' } }],
      ['tools/call', { name: 'call_tool', arguments: { name, arguments: {} } }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'test://a' }],
      ['resources/read', { uri: `test://${dice.below(9)}` }],
      ['prompts/list', {}],
      ['prompts/get', { name: `${label}_greet`, arguments: { who: 'me' } }],
      [
        'completion/complete',
        { ref: { type: 'ref/prompt', name: `${label}_greet` }, argument: { name: 'who', value: 'm' } },
      ],
    ])
  }

  async function send(spec: RequestSpec, params: object): Promise<void> {
    try {
      const { text } = await exchange(target, { ...spec, signal: AbortSignal.timeout(2 * callMs) })
      hub.inspect(JSON.stringify(spec.body), text)
      const number = /^u(\d+)_/.exec(String((params as { name?: unknown }).name))?.[1]
      const name = names[Number(number) - 1]
      if (name !== undefined && text.includes('"result":{')) results.set(name, results.get(name)! + 1)
    } catch {
      // The call waits for an answer to a question of the upstream.
    }
  }

  return {
    results,
    async use(dice, requests, era) {
      for (let sent = 0; sent < requests;) {
        const legacy = era === 'legacy' ? await connectLegacy(target, { capabilities: able }) : undefined
        const notices = await legacy?.listen()
        await legacy?.request('resources/subscribe', { uri: 'test://a' })
        for (let left = requestsPerConnection; left > 0 && sent < requests; left--, sent++) {
          const [method, params] = draft(dice)
          const spec = legacy
            ? legacy.spec({ jsonrpc: '2.0', id: legacy.nextId(), method, params })
            : modernSpec(method, params, { capabilities: able, id: sent })
          await send(spec, params)
        }
        hub.inspect('the stream of notices', JSON.stringify(notices?.messages ?? []))
        notices?.close()
        await legacy?.end()
        // Gives an upstream with a wrong handshake another chance.
        for (const name of names) await hub.call('restart_connector', { name }).catch(() => {})
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
