import { expect, test, vi } from 'vitest'
import { openToolbox, toCall } from '../../test/fixtures/terminal-toolbox.ts'
import { keepAlive } from './keep-alive.ts'

test('what is on the screen already is found at once', async () => {
  const box = await openToolbox(`printf 'ready for you'; exec cat`)
  await box.call('wait_for', { for: 'text', value: 'ready' })
  expect(await box.call('wait_for', { for: 'regex', value: '^ready .* you$', timeout_ms: 0 })).toEqual({
    met: true,
    reason: 'screen',
    status: 'running',
    activity: { is: 'unknown', since: expect.any(String), source: 'none', confidence: 0 },
    offset: 13,
    screen: 'ready for you',
  })
})

test('what comes later wakes the one who waits', async () => {
  const box = await openToolbox('stty -echo; echo ask; read line; echo "got $line"; exec cat')
  await box.call('wait_for', { for: 'text', value: 'ask' })
  const waiting = box.call('wait_for', { for: 'regex', value: 'got [a-z]+' })
  await box.call('send_text', { text: 'tea\n' })
  expect(await waiting).toMatchObject({ met: true, screen: 'ask\ngot tea' })
})

test('what has scrolled past between two looks is found in the output', async () => {
  const box = await openToolbox('stty -echo; read line; echo NEEDLE; seq 1 5000; exec cat', { rows: 5 })
  const waiting = box.call('wait_for', { for: 'text', value: 'NEEDLE' })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ met: true })
  expect(await box.call('wait_for', { for: 'text', value: '5000' })).toMatchObject({ met: true })
  expect((await box.call('read_screen')).lines).not.toContain('NEEDLE')
  expect(await box.call('wait_for', { for: 'text', value: 'NEEDLE', timeout_ms: 0 })).toMatchObject({ met: false })
  expect(await box.call('wait_for', { for: 'text', value: 'NEEDLE', since: 0, timeout_ms: 0 })).toMatchObject({
    met: true,
    reason: 'output',
  })
})

test('with an offset, what was printed before it does not count', async () => {
  const box = await openToolbox('stty -echo; echo done; read line; echo done; exec cat')
  const { offset } = await box.call('wait_for', { for: 'text', value: 'done' })
  expect(await box.call('wait_for', { for: 'text', value: 'done', since: offset, timeout_ms: 0 })).toMatchObject({
    met: false,
    reason: 'timeout',
  })
  const waiting = box.call('wait_for', { for: 'text', value: 'done', since: offset })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ met: true, reason: 'output', screen: 'done\ndone' })
})

test('colours in the middle of a word, a wrapped row and a blank made by a move are no obstacle', async () => {
  const word = `prec\\033[1mon\\033[0mdition`
  const box = await openToolbox(`printf 'a long ${word} \\033[3Cfailed'; exec cat`, { cols: 12, rows: 6 })
  expect(await box.call('wait_for', { for: 'text', value: 'precondition' })).toMatchObject({ met: true })
  expect(await box.call('wait_for', { for: 'text', value: 'precondition', since: 0 })).toMatchObject({ met: true })
  expect(await box.call('wait_for', { for: 'regex', value: 'precondition +failed$', since: 0 })).toMatchObject({
    met: true,
    reason: 'output',
  })
})

test('a text that comes in two pieces is one', async () => {
  const box = await openToolbox('stty -echo; printf half; read line; printf way; exec cat')
  await box.call('wait_for', { for: 'text', value: 'half' })
  const since = 2
  const waiting = box.call('wait_for', { for: 'text', value: 'lfway', since })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ met: true, reason: 'output' })
})

test('the end of the program ends every wait, and what it printed last still counts', async () => {
  const box = await openToolbox('stty -echo; echo ask; read line; echo last words')
  await box.call('wait_for', { for: 'text', value: 'ask' })
  const text = box.call('wait_for', { for: 'text', value: 'last words' })
  const never = box.call('wait_for', { for: 'text', value: 'never said' })
  const exit = box.call('wait_for', { for: 'exit' })
  const idle = box.call('wait_for', { for: 'idle' })
  const waiting = box.call('wait_for', { for: 'waiting' })
  await box.call('send_text', { text: '\n' })
  expect(await text).toMatchObject({ met: true })
  expect(await never).toMatchObject({ met: false, reason: 'exit', status: 'completed', screen: 'ask\nlast words' })
  expect(await exit).toMatchObject({ met: true, reason: 'exit' })
  expect(await idle).toMatchObject({ met: true, reason: 'exit' })
  expect(await waiting).toMatchObject({ met: false, reason: 'exit' })
})

test('the last words of a program that printed more than a screen takes at once are seen', async () => {
  const box = await openToolbox('seq 1 400000; echo LAST WORDS; seq 1 100')
  expect(await box.call('wait_for', { for: 'text', value: 'LAST WORDS', since: 0 })).toMatchObject({ met: true })
  const { met, screen } = await box.call<{ met: boolean; screen: string }>('wait_for', { for: 'exit' })
  expect([met, screen.endsWith('99\n100')]).toEqual([true, true])
})

test('activity is waited for, and with an offset only after something was printed', async () => {
  const box = await openToolbox('stty -echo; printf ready; read line; echo more; exec cat')
  await box.call('wait_for', { for: 'text', value: 'ready' })
  box.setActivity('idle')
  expect(await box.call('wait_for', { for: 'idle', timeout_ms: 0 })).toMatchObject({
    met: true,
    reason: 'activity',
    activity: { is: 'idle' },
  })
  const { offset } = box.terminal
  expect(await box.call('wait_for', { for: 'idle', since: offset, timeout_ms: 0 })).toMatchObject({ met: false })
  const waiting = box.call('wait_for', { for: 'waiting' })
  const idle = box.call('wait_for', { for: 'idle', since: offset })
  box.setActivity('waiting')
  expect(await waiting).toMatchObject({ met: true, reason: 'activity' })
  await box.call('send_text', { text: '\n' })
  await box.call('wait_for', { for: 'text', value: 'more' })
  box.setActivity('idle')
  expect(await idle).toMatchObject({ met: true, reason: 'activity' })
})

test('time runs out', async () => {
  const box = await openToolbox('exec cat')
  expect(await box.call('wait_for', { for: 'text', value: 'x', timeout_ms: 5 })).toMatchObject({
    met: false,
    reason: 'timeout',
  })
})

test('a caller that leaves ends its wait', async () => {
  const box = await openToolbox('exec cat')
  const leaving = new AbortController()
  const waiting = box.call('wait_for', { for: 'exit' }, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})

test('wrong arguments are told what would work', async () => {
  const box = await openToolbox('exec cat')
  const wrong = [
    [{ for: 'text' }, '"value": say which text to wait for.'],
    [{ for: 'regex' }, '"value": say which regular expression to wait for.'],
    [{ for: 'exit', value: 'x' }, '"value" is for "text" and "regex"; leave it out to wait for "exit".'],
    [{ for: 'regex', value: '(' }, 'The pattern is no regular expression'],
    [{ for: 'lunch' }, '"for"'],
    [{ for: 'exit', timeout_ms: 600_001 }, '"timeout_ms"'],
  ] as const
  for (const [args, sentence] of wrong) expect(await box.failure('wait_for', args)).toContain(sentence)
})

test('a caller that wants to hear that its call lives does so', () => {
  vi.useFakeTimers()
  const steps: number[] = []
  {
    using _ = keepAlive(toCall({ progress: ({ progress }) => steps.push(progress) }))
    vi.advanceTimersByTime(25_000)
  }
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  expect(steps).toEqual([10, 20])
})

test('a prompt that ends with a blank is found, and a line that is filled up with blanks is not held to them', async () => {
  const box = await openToolbox(`printf 'done          \\n$ '; exec cat`)
  await box.until(() => box.terminal.screen.cursor().row === 1)
  for (const value of ['\\$ $', '^done$']) {
    const found = await box.call('wait_for', { for: 'regex', value, timeout_ms: 0 })
    expect(found).toMatchObject({ met: true, reason: 'screen' })
  }
})
