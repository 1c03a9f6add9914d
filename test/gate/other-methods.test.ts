/** Methods that MCP does not define, in sessions with several mounts: tasks and extensions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { connectLegacy, type LegacyConnection } from '../http/legacy-connection.ts'
import { modern } from '../http/modern-request.ts'
import { type ScriptedUpstream, type ScriptedWorld, startScriptedWorld } from '../worlds/scripted-world.ts'

let world: ScriptedWorld
let upstreams: Readonly<Record<'one' | 'two' | 'plain', ScriptedUpstream>>
let agent: LegacyConnection

const unknownTask = { error: { code: -32602, message: 'no such task' } }

beforeAll(async () => {
  world = await startScriptedWorld()
  const target = await world.session('several')
  const tasks = { capabilities: { tasks: { list: {} } } }
  upstreams = {
    plain: await world.upstream('plain', { lists: { own: { 'only/plain': { result: { by: 'plain' } } } } }),
    one: await world.upstream('one', {
      lists: {
        ...tasks,
        own: {
          'tasks/get': unknownTask,
          'tasks/list': { result: { tasks: [{ taskId: 'first' }] } },
          'only/one': { result: { by: 'one' } },
        },
      },
    }),
    two: await world.upstream('two', {
      lists: {
        ...tasks,
        own: {
          'tasks/get': { result: { taskId: 'second', status: 'working' } },
          'tasks/list': { result: { tasks: [{ taskId: 'second' }], nextCursor: 'page 2' } },
          'only/two': { error: { code: -32000, message: 'it knows, but will not' } },
        },
      },
    }),
  }
  for (const connector of Object.keys(upstreams)) await world.bind('several', connector)
  await until(async () => /one_script.*two_script/.test(JSON.stringify((await modern(target, 'tools/list')).body)))
  agent = await connectLegacy(target)
})
afterAll(() => world[Symbol.asyncDispose]())

const reached = (upstream: keyof typeof upstreams, method: string) => upstreams[upstream].received(method).length

test('the capabilities for clients include tasks', () => {
  expect(agent.opening.body).toMatchObject({ result: { capabilities: { tasks: { list: {} }, tools: {} } } })
})

test('a method is answered by the mount that knows it', async () => {
  expect(await agent.request('only/plain')).toMatchObject({ result: { by: 'plain' } })
  expect(await agent.request('only/one')).toMatchObject({ result: { by: 'one' } })
})

test('a mount that knows the method and refuses it is the last to be asked', async () => {
  expect(await agent.request('only/two')).toMatchObject({ error: { code: -32000, message: 'it knows, but will not' } })
})

test('a method that no mount knows is unknown', async () => {
  expect(await agent.request('only/nobody')).toMatchObject({ error: { code: -32601 } })
})

describe('tasks', () => {
  test('tasks that a tool started are requested from its mount only', async () => {
    const steps = [{ result: { task: { taskId: 'second', status: 'working' } } }]
    await agent.request('tools/call', { name: 'two_script', arguments: { steps } })
    expect(await agent.request('tasks/get', { taskId: 'second' })).toMatchObject({ result: { taskId: 'second' } })
    expect(reached('one', 'tasks/get')).toBe(0)
  })

  test('earlier tasks are looked for in the mounts that have tasks', async () => {
    expect(await agent.request('tasks/get', { taskId: 'older' })).toMatchObject({ result: { status: 'working' } })
    expect(reached('one', 'tasks/get')).toBe(1)
    expect(reached('plain', 'tasks/get')).toBe(0)
  })

  test('tasks of all mounts are listed, page after page', async () => {
    const pages: Page['result'][] = []
    for (const _ of [1, 2, 3]) {
      const cursor = pages.at(-1)?.nextCursor
      const { result } = (await agent.request('tasks/list', cursor === undefined ? {} : { cursor })) as Page
      pages.push(result)
    }
    expect(pages.map(({ tasks }) => tasks[0]!.taskId)).toEqual(['first', 'second', 'second'])
    expect(upstreams.two.received('tasks/list').map(({ params }) => params?.['cursor'])).toEqual([undefined, 'page 2'])
    expect(await agent.request('tasks/list', { cursor: 'nonsense' })).toMatchObject({ error: { code: -32602 } })
  })
})

describe('tasks of two upstreams with equal ids', () => {
  let client: LegacyConnection
  const alike: Record<string, ScriptedUpstream> = {}
  const relatedTo = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } })

  beforeAll(async () => {
    const target = await world.session('alike')
    for (const name of ['left', 'right']) {
      const task = { taskId: 'task-1', status: 'working', statusMessage: `of ${name}` }
      const content = [{ type: 'text', text: `of ${name}` }]
      const own = {
        'tasks/get': { result: task },
        'tasks/cancel': { result: task },
        'tasks/list': { result: { tasks: [task] } },
        'tasks/result': { result: { content, _meta: relatedTo('task-1') } },
      }
      alike[name] = await world.upstream(name, { lists: { capabilities: { tasks: { list: {} } }, own } })
      await world.bind('alike', name)
    }
    await until(async () => /left_script.*right_script/.test(JSON.stringify((await modern(target, 'tools/list')).body)))
    client = await connectLegacy(target)
  })

  const callScript = (mount: string, steps: readonly object[]) =>
    client.request('tools/call', { name: `${mount}_script`, arguments: { steps } })

  test('have two ids: the later one has its mount as prefix', async () => {
    const steps = [{ result: { task: { taskId: 'task-1', status: 'working' } } }]
    expect(await callScript('left', steps)).toMatchObject({ result: { task: { taskId: 'task-1' } } })
    expect(await callScript('right', steps)).toMatchObject({ result: { task: { taskId: 'right:task-1' } } })
    expect(await callScript('right', steps)).toMatchObject({ result: { task: { taskId: 'right:task-1' } } })
  })

  test.each([
    ['left', 'task-1'],
    ['right', 'right:task-1'],
  ])('can be read, awaited and ended by id: the one of %s', async (name, taskId) => {
    const seen = { taskId, statusMessage: `of ${name}` }
    expect(await client.request('tasks/get', { taskId })).toMatchObject({ result: seen })
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ result: seen })
    expect(await client.request('tasks/result', { taskId })).toMatchObject({
      result: { content: [{ text: `of ${name}` }], _meta: relatedTo(taskId) },
    })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result']) {
      expect(alike[name]?.received(method).map(({ params }) => params?.['taskId'])).toEqual(['task-1'])
    }
  })

  test('are listed by these ids', async () => {
    const first = (await client.request('tasks/list', {})) as Page
    const second = (await client.request('tasks/list', { cursor: first.result.nextCursor })) as Page
    const ids = [first, second].flatMap(({ result }) => result.tasks.map(({ taskId }) => taskId))
    expect(ids.toSorted()).toEqual(['right:task-1', 'task-1'])
  })

  test('are reported by these ids', async () => {
    using listening = await client.listen()
    const say = { method: 'notifications/tasks/status', params: { taskId: 'task-1', status: 'completed' } }
    await callScript('right', [{ say }])
    await until(() => JSON.stringify(listening.messages).includes('right:task-1'))
  })

  test('are not confused when one mount is gone', async () => {
    await world.call('unbind_connector', { session: 'alike', label: 'left' })
    await until(async () =>
      JSON.stringify(await client.request('tasks/get', { taskId: 'task-1' })).includes('no mount has a task'),
    )
    expect(await client.request('tasks/get', { taskId: 'right:task-1' })).toMatchObject({
      result: { taskId: 'right:task-1', statusMessage: 'of right' },
    })
  })
})

interface Page {
  readonly result: { readonly tasks: readonly { readonly taskId: string }[]; readonly nextCursor?: string }
}
