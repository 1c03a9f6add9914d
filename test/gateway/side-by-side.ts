/**
 * The same server twice, direct and behind the hub. Each client has its own copy, so that neither affects the other.
 */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { isRecord } from '../../src/base/is-record.ts'
import { until } from '../fixtures/until.ts'
import { type GatewayHub, overStdio } from '../worlds/gateway-hub.ts'
import type { Answer, Message, Params, RawClient } from './raw-client.ts'
import { connectEndpoint, connectProgram, type Program } from './raw-wires.ts'

export interface Pair extends AsyncDisposable {
  readonly label: string
  readonly direct: RawClient
  readonly through: RawClient
}

export interface Outcome {
  readonly direct: Answer
  readonly through: Answer
}

export async function connectPair(
  hub: GatewayHub,
  label: string,
  program: (side: 'direct' | 'through') => Program,
): Promise<Pair> {
  await using stack = new AsyncDisposableStack()
  const agent = await hub.agentOf(`agent-of-${label}`, { [label]: overStdio(program('through')) })
  const through = stack.use(await connectEndpoint(agent))
  const direct = stack.use(await connectProgram(program('direct')))
  const opened = stack.move()
  const pair = { label, direct, through, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  // Some servers add tools once they know the capabilities of their client.
  await until(async () => (await listedThrough(pair)).length >= (await toolsOf(direct)).length)
  return pair
}

/** A server from npm, run as its package does. */
export function packageProgram(name: string, ...args: readonly string[]): Program {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)
  return { cmd: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args] }
}

export type Listed = Readonly<Record<string, unknown>> & { readonly name: string }

export async function toolsOf(client: RawClient): Promise<readonly Listed[]> {
  return (await client.request('tools/list')).result?.['tools'] as readonly Listed[]
}

/** The tools that the agent sees of the connector, under the server's own names. */
export async function listedThrough({ label, through }: Pair): Promise<readonly Listed[]> {
  const tools = await toolsOf(through)
  return tools.filter(({ name }) => name.startsWith(`${label}_`)).map((tool) => withoutOurName(label, tool))
}

function withoutOurName(label: string, { name, _meta, ...tool }: Listed): Listed {
  const { 'io.signalbox/original': original, ...meta } = _meta as Record<string, unknown>
  const { mount, tool: originalName } = original as { mount: string; tool: string }
  expect({ mount, name }).toEqual({ mount: label, name: exposed(label, originalName) })
  return { ...tool, name: originalName, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
}

/** The name that the agent sees. */
export function exposed(label: string, tool: string): string {
  return `${label}_${tool.replaceAll('-', '_')}`
}

export async function callBoth(pair: Pair, tool: string, args: Params, more: Params = {}): Promise<Outcome> {
  const { label, direct, through } = pair
  return {
    direct: await outcomeOf(direct, 'tools/call', { name: tool, arguments: args, ...more }),
    through: await outcomeOf(through, 'tools/call', { name: exposed(label, tool), arguments: args, ...more }),
  }
}

export async function askBoth({ direct, through }: Pair, method: string, params: Params): Promise<Outcome> {
  return { direct: await outcomeOf(direct, method, params), through: await outcomeOf(through, method, params) }
}

/** The answer without its id and without the hub's correlation mark. */
export async function outcomeOf(client: RawClient, method: string, params: Params): Promise<Answer> {
  const { result, error } = await client.request(method, params)
  return { ...(result && { result: withoutMark(result) }), ...(error && { error }) }
}

function withoutMark({ _meta, ...result }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isRecord(_meta)) return result
  const { 'io.signalbox/correlation': _, ...meta } = _meta
  return Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result
}

export function noticesOf({ notifications }: RawClient, method: string): readonly Message[] {
  return notifications.filter((message) => message['method'] === method)
}
