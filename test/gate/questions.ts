/** Shared by tests of upstreams that ask: the question, the call in which it is asked, and its result. */
import type { Answer } from '../http/exchange.ts'

export const able = { elicitation: {}, sampling: {}, roots: {} }
export const question = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object' } },
}
/** The question as a client gets it. */
export function askedBy(connector: string) {
  const { method, params } = question
  const message = `[connector ${connector}] ${params.message}`
  return { method, params: { ...params, message, _meta: { 'io.signalbox/connector': connector } } }
}
export const accepted = { action: 'accept', content: { sure: true } }

/** A call of `up_script` that runs these steps. */
export function script(steps: readonly object[], more: object = {}) {
  return { name: 'up_script', arguments: { steps, ...more } }
}

/** The answers to the upstream's questions, which it returns at the end of the call. */
export function answersIn(message: unknown): unknown {
  const { result } = message as { result: { content: { text: string }[] } }
  return (JSON.parse(result.content[0]!.text) as { heard: unknown }).heard
}

export function namesIn({ body }: Answer): readonly string[] {
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}
