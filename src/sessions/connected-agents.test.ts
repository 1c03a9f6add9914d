import { expect, test } from 'vitest'
import { createConnectedAgents } from './connected-agents.ts'

const { signal } = new AbortController()

test('a prompt waits until the agent of its own session has listed its tools', async () => {
  const agents = createConnectedAgents()
  const order: string[] = []
  const waiting = agents.until('s1', signal).then(() => order.push('s1 is connected'))
  agents.note('s2')
  await agents.until('s2', signal)
  order.push('s2 is connected')
  agents.note('s1')
  await waiting
  expect(order).toEqual(['s2 is connected', 's1 is connected'])
})

test('an ended session is forgotten, and a caller that disconnects stops waiting', async () => {
  const agents = createConnectedAgents()
  agents.note('s1')
  agents.forget('s1')
  const leaving = new AbortController()
  const waiting = agents.until('s1', leaving.signal)
  leaving.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})
