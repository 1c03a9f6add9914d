import { expect, test } from 'vitest'
import { createReplays } from './replays.ts'

const question = { token: 'a', replayId: '1', content: ['repository', 'question', undefined] }

test('the same question with the same id is asked once, while it runs and afterwards', async () => {
  const replays = createReplays<string>()
  const { promise, resolve } = Promise.withResolvers<string>()
  expect(replays.ask(question, () => promise).isRepeated).toBe(false)
  const again = replays.ask(question, asksAgain)
  expect(again.isRepeated).toBe(true)
  resolve('it')
  expect(await again.answer).toBe('it')
  expect(await replays.ask(question, asksAgain).answer).toBe('it')
})

test('an id belongs to one question of one token', async () => {
  const replays = createReplays<string>()
  await replays.ask(question, async () => 'it').answer
  expect(() => replays.ask({ ...question, content: ['other'] }, asksAgain)).toThrow('belongs to another question')
  expect(await replays.ask({ ...question, token: 'b' }, async () => 'theirs').answer).toBe('theirs')
})

test('a failed question is asked again', async () => {
  const replays = createReplays<string>()
  await expect(replays.ask(question, async () => Promise.reject(new Error('no'))).answer).rejects.toThrow('no')
  expect(await replays.ask(question, async () => 'yes').answer).toBe('yes')
})

test('an answer is forgotten after a while, and the oldest when there are too many; a running one never', async () => {
  let now = 0
  const replays = createReplays<string>({ now: () => now })
  const running = { ...question, replayId: 'running' }
  const forever = new Promise<string>(() => {})
  replays.ask(running, () => forever)
  await replays.ask(question, async () => 'old').answer
  for (let index = 0; index < 100; index++) {
    await replays.ask({ ...question, replayId: `n${index}` }, async () => 'new').answer
  }
  expect(replays.ask(question, async () => 'anew').isRepeated).toBe(false)
  expect(replays.ask({ ...question, replayId: 'n99' }, asksAgain).isRepeated).toBe(true)
  now = 3_600_000
  expect(replays.ask({ ...question, replayId: 'n99' }, async () => 'later').isRepeated).toBe(false)
  expect(replays.ask(running, asksAgain).isRepeated).toBe(true)
})

async function asksAgain(): Promise<string> {
  throw new Error('It was asked again.')
}
