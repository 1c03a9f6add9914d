import { describe, expect, test } from 'vitest'
import { createTaskIds } from './task-ids.ts'

const related = (taskId: string) => ({ _meta: { 'io.modelcontextprotocol/related-task': { taskId }, other: 1 } })

function twoMounts() {
  const ids = createTaskIds()
  const [demo, other] = [ids.join('demo'), ids.join('other')]
  demo.shown({ taskId: '1' })
  other.shown({ taskId: '1' })
  return { demo, other }
}

describe('the later of two equal ids gets a prefix', () => {
  test.each([
    ['a task', { taskId: '1', status: 'working' }, { taskId: 'other:1', status: 'working' }],
    ['a task in a result', { task: { taskId: '1', ttl: 5 } }, { task: { taskId: 'other:1', ttl: 5 } }],
    ['a list', { tasks: [{ taskId: '1', ttl: 5 }, 3] }, { tasks: [{ taskId: 'other:1', ttl: 5 }, 3] }],
    ['a message about a task', related('1'), related('other:1')],
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

  test('in the messages of a client', () => {
    const { demo, other } = twoMounts()
    expect(other.original({ taskId: 'other:1' })).toEqual({ taskId: '1' })
    expect(demo.original({ taskId: '1' })).toEqual({ taskId: '1' })
  })

  test('even if an upstream has chosen the prefixed id itself', () => {
    const ids = createTaskIds()
    ids.join('demo').shown({ taskId: '1' })
    const other = ids.join('other')
    expect(other.shown({ taskId: 'other:1' })).toEqual({ taskId: 'other:1' })
    expect(other.shown({ taskId: '1' })).toEqual({ taskId: 'other:other:1' })
  })
})

test('an id is free again when its mount is gone, and the other mount keeps its own', () => {
  const { demo, other } = twoMounts()
  demo[Symbol.dispose]()
  expect(other.shown({ taskId: '1' })).toEqual({ taskId: 'other:1' })
  expect(other.mayOwn('1')).toBe(false)
  expect(other.mayOwn('2')).toBe(true)
})

test('an upstream that creates tasks without end does not push out those of another', () => {
  const { demo, other } = twoMounts()
  for (let task = 2; task < 20_000; task++) other.shown({ taskId: String(task) })
  expect(demo.owns('1')).toBe(true)
  expect(other.owns('other:1')).toBe(false)
  expect(other.owns('19999')).toBe(true)
})

test('an upstream that makes up long ids keeps few of them', () => {
  const { demo, other } = twoMounts()
  const ids = Array.from({ length: 1_000 }, (_, task) => String(task).padEnd(8 * 1024, 'x'))
  for (const taskId of ids) expect(other.shown({ taskId })).toEqual({ taskId })
  expect(ids.filter((id) => other.owns(id))).toEqual(ids.slice(-256))
  expect(demo.owns('1')).toBe(true)
})

test('a message that names no task is returned unchanged', () => {
  const said = { content: [{ type: 'text', text: 'taskId' }], structuredContent: { taskId: '1' }, _meta: { a: 1 } }
  expect(twoMounts().other.shown(said)).toBe(said)
  expect(twoMounts().other.original(said)).toBe(said)
})

test('an id that is too long is neither kept nor sent back', () => {
  const demo = createTaskIds().join('demo')
  const taskId = 'x'.repeat(10_000)
  expect(demo.shown({ task: { taskId } })).toEqual({ task: { taskId } })
  expect(demo.owns(taskId)).toBe(false)
  expect(() => demo.original({ taskId })).toThrow(
    'A task id of the mount "demo" must be a text of at most 8192 characters',
  )
})
