/**
 * Tools with which a test drives the hub from inside: a call that another call steps and finishes, resources that change
 * on demand, and a list of cancelled calls.
 */
import { once } from 'node:events'
import { z } from 'zod'
import { HubError } from '../../src/base/hub-error.ts'
import { type Call, defineTool, type Notices, type Provider, type ResourceTemplate } from '../../src/mcp/mcp.ts'

export function createProbeProvider({ notices }: { notices: Notices }): Provider {
  const guided = new Map<string, GuidedCall>()
  const cancelled: string[] = []
  const counters = new Map<string, number>()

  function find(label: string): GuidedCall {
    const call = guided.get(label)
    if (call === undefined) throw new HubError('not-found', `No guided call "${label}" is running.`)
    return call
  }

  const tools = [
    defineTool({
      name: 'test_guided',
      description: 'Runs until test_finish; each test_step becomes its progress.',
      input: z.strictObject({ label: z.string() }),
      output: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true },
      async run({ label }, call) {
        const own = createGuidedCall(call)
        guided.set(label, own)
        call.signal.addEventListener('abort', () => cancelled.push(label), { once: true })
        try {
          return { words: await own.finished }
        } finally {
          guided.delete(label)
        }
      },
    }),
    defineTool({
      name: 'test_step',
      description: 'Makes a guided call report its next step of progress.',
      input: z.strictObject({ label: z.string() }),
      output: z.object({ progress: z.number() }),
      annotations: { readOnlyHint: false },
      run: async ({ label }) => ({ progress: find(label).step() }),
    }),
    defineTool({
      name: 'test_finish',
      description: 'Ends a guided call with these words.',
      input: z.strictObject({ label: z.string(), words: z.string() }),
      output: z.object({}),
      annotations: { readOnlyHint: false },
      async run({ label, words }) {
        find(label).finish(words)
        return {}
      },
    }),
    defineTool({
      name: 'test_until_stop',
      description: 'Runs until the hub is told to stop, and a moment longer.',
      input: z.strictObject({ label: z.string() }),
      output: z.object({ words: z.string() }),
      annotations: { readOnlyHint: true },
      async run({ label }, call) {
        const own = createGuidedCall(call)
        guided.set(label, own)
        process.once('SIGTERM', () => setTimeout(() => own.finish('in time'), 100))
        return { words: await own.finished }
      },
    }),
    defineTool({
      name: 'test_calls',
      description: 'Which guided calls run, and which were cancelled.',
      input: z.strictObject({}),
      output: z.object({ running: z.array(z.string()), cancelled: z.array(z.string()) }),
      annotations: { readOnlyHint: true },
      run: async () => ({ running: [...guided.keys()], cancelled: [...cancelled] }),
    }),
    defineTool({
      name: 'test_change',
      description: 'Counts these resources up and tells their subscribers.',
      input: z.strictObject({ uris: z.array(z.string()) }),
      output: z.object({}),
      annotations: { readOnlyHint: false },
      async run({ uris }) {
        for (const uri of uris) {
          counters.set(uri, (counters.get(uri) ?? 0) + 1)
          notices.resourceChanged(uri)
        }
        return {}
      },
    }),
  ]

  const counter: ResourceTemplate = {
    uriTemplate: 'test://counter/{name}',
    name: 'counter',
    description: 'How often test_change named it.',
    mimeType: 'text/plain',
    read: async (uri) => ({ contents: [{ uri, mimeType: 'text/plain', text: String(counters.get(uri) ?? 0) }] }),
  }

  return { toolset: 'probes', tools: () => tools, resourceTemplates: () => [counter] }
}

interface GuidedCall {
  readonly finished: Promise<string>
  step(): number
  finish(words: string): void
}

function createGuidedCall(call: Call): GuidedCall {
  const { promise, resolve } = Promise.withResolvers<string>()
  let progress = 0
  const aborted = once(call.signal, 'abort').then(() => {
    throw new HubError('unavailable', 'The call was cancelled.')
  })
  return {
    finished: Promise.race([promise, aborted]),
    step() {
      call.progress({ progress: ++progress })
      return progress
    },
    finish: resolve,
  }
}
