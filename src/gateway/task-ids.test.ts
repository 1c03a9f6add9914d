import { describe, expect, test } from 'vitest'
import type { UpstreamRequest } from '../mcp/mcp.ts'
import { createTaskIds } from './task-ids.ts'

const related = (taskId: string) => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId }, other: 1 } })

function twoMounts() {
  const ids = createTaskIds()
  const [demo, other] = [ids.join('demo'), ids.join('other')]
  demo.shown({ taskId: '1' })
  other.shown({ taskId: '1' })
  return { demo, other }
}

const asking = (more: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  signal: AbortSignal.timeout(10_000),
  client: { capabilities: {} },
  isSafe: true,
  ...more,
})

describe('the later of two equal ids is another', () => {
  test.each([
    ['a task', { taskId: '1', status: 'working' }, { taskId: 'other:1', status: 'working' }],
    ['a task in a result', { task: { taskId: '1', ttl: 5 } }, { task: { taskId: 'other:1', ttl: 5 } }],
    ['a list', { tasks: [{ taskId: '1', ttl: 5 }, 3] }, { tasks: [{ taskId: 'other:1', ttl: 5 }, 3] }],
    ['what belongs to a task', related('1'), related('other:1')],
    [
      'a question',
      { inputRequests: { a: { method: 'roots/list' }, b: { method: 'elicitation/create', params: related('1') } } },
      {
        inputRequests: { a: { method: 'roots/list' }, b: { method: 'elicitation/create', params: related('other:1') } },
      },
    ],
  ])('in %s', (_, said, shown) => {
    const { demo, other } = twoMounts()
    expect(other.shown(said)).toEqual(shown)
    expect(demo.shown(said)).toEqual(said)
  })

  test('in what an upstream says and asks while it is asked', async () => {
    const { other } = twoMounts()
    const heard: unknown[] = []
    const upstream = other.over({
      async request(_method, params, { onNotification, onAsk, signal }) {
        heard.push(params)
        onNotification?.('notifications/tasks/status', { taskId: '1' })
        await onAsk?.({ method: 'elicitation/create', params: related('1') }, signal)
        return { taskId: '1' }
      },
    })
    const onNotification = (_method: string, params: unknown) => void heard.push(params)
    const onAsk = async ({ params }: { params?: unknown }) => ({ n: heard.push(params) })
    const asked = asking({ onNotification, onAsk })
    expect(await upstream.request('tasks/get', { taskId: 'other:1' }, asked)).toEqual({ taskId: 'other:1' })
    expect(heard).toEqual([{ taskId: '1' }, { taskId: 'other:1' }, related('other:1')])
  })

  test('also where an upstream has made up that one itself', () => {
    const ids = createTaskIds()
    ids.join('demo').shown({ taskId: '1' })
    const other = ids.join('other')
    expect(other.shown({ taskId: 'other:1' })).toEqual({ taskId: 'other:1' })
    expect(other.shown({ taskId: '1' })).toEqual({ taskId: 'other:other:1' })
  })
})

test('who answers for a task has it, though the answer does not name it', async () => {
  const ids = createTaskIds()
  const [demo, other] = [ids.join('demo'), ids.join('other')]
  await demo.over({ request: async () => ({ content: [] }) }).request('tasks/result', { taskId: '1' }, asking())
  expect(demo.owns('1')).toBe(true)
  expect(other.shown({ taskId: '1' })).toEqual({ taskId: 'other:1' })
})

test('an id is free again when its mount is gone, and the other keeps its own', () => {
  const { demo, other } = twoMounts()
  demo[Symbol.dispose]()
  expect(other.shown({ taskId: '1' })).toEqual({ taskId: 'other:1' })
  expect(other.mayOwn('1')).toBe(false)
  expect(other.mayOwn('2')).toBe(true)
})

test('an upstream that names tasks without end makes nobody forget those of another', () => {
  const { demo, other } = twoMounts()
  for (let task = 2; task < 20_000; task++) other.shown({ taskId: String(task) })
  expect(demo.owns('1')).toBe(true)
  expect(other.owns('other:1')).toBe(false)
  expect(other.owns('19999')).toBe(true)
})

test('a message that names no task is passed as it is', () => {
  const said = { content: [{ type: 'text', text: 'taskId' }], structuredContent: { taskId: '1' }, _meta: { a: 1 } }
  expect(twoMounts().other.shown(said)).toBe(said)
})
