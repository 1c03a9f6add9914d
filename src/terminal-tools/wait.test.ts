import { expect, test, vi } from 'vitest'
import { longestTurn } from '../../test/fixtures/longest-turn.ts'
import { openToolbox, toCall } from '../../test/worlds/terminal-toolbox.ts'
import { keepAlive } from './keep-alive.ts'

test('text that is already on the screen is found at once', async () => {
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

test('new output wakes a waiting call', async () => {
  const box = await openToolbox('stty -echo; echo ask; read line; echo "got $line"; exec cat')
  await box.call('wait_for', { for: 'text', value: 'ask' })
  const waiting = box.call('wait_for', { for: 'regex', value: 'got [a-z]+' })
  await box.call('send_text', { text: 'tea\n' })
  expect(await waiting).toMatchObject({ met: true, screen: 'ask\ngot tea' })
})

test('text that has scrolled past between two checks is found in the output', async () => {
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

test('text before the given offset does not count', async () => {
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

test('text matches across colour codes, wrapped rows and cursor moves', async () => {
  const word = `prec\\033[1mon\\033[0mdition`
  const box = await openToolbox(`printf 'a long ${word} \\033[3Cfailed'; exec cat`, { cols: 12, rows: 6 })
  expect(await box.call('wait_for', { for: 'text', value: 'precondition' })).toMatchObject({ met: true })
  expect(await box.call('wait_for', { for: 'text', value: 'precondition', since: 0 })).toMatchObject({ met: true })
  expect(await box.call('wait_for', { for: 'regex', value: 'precondition +failed$', since: 0 })).toMatchObject({
    met: true,
    reason: 'output',
  })
})

test('a text that arrives in two pieces matches', async () => {
  const box = await openToolbox('stty -echo; printf half; read line; printf way; exec cat')
  await box.call('wait_for', { for: 'text', value: 'half' })
  const since = 2
  const waiting = box.call('wait_for', { for: 'text', value: 'lfway', since })
  await box.call('send_text', { text: '\n' })
  expect(await waiting).toMatchObject({ met: true, reason: 'output' })
})

test('the end of the program ends every wait, and its last output still counts', async () => {
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

test('the last output of a program that ends after much output is seen', async () => {
  const box = await openToolbox('seq 1 100000; echo LAST WORDS; seq 1 100')
  expect(await box.call('wait_for', { for: 'text', value: 'LAST WORDS', since: 0 })).toMatchObject({ met: true })
  const { met, screen } = await box.call<{ met: boolean; screen: string }>('wait_for', { for: 'exit' })
  expect([met, screen.endsWith('99\n100')]).toEqual([true, true])
})

test('a wait for an activity with an offset needs output after that offset', async () => {
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

test('a wait times out', async () => {
  const box = await openToolbox('exec cat')
  expect(await box.call('wait_for', { for: 'text', value: 'x', timeout_ms: 5 })).toMatchObject({
    met: false,
    reason: 'timeout',
  })
})

test('a cancelled call ends its wait', async () => {
  const box = await openToolbox('exec cat')
  const leaving = new AbortController()
  const waiting = box.call('wait_for', { for: 'exit' }, { signal: leaving.signal })
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})

test('invalid arguments get an error that says what to change', async () => {
  const box = await openToolbox('exec cat')
  const wrong = [
    [{ for: 'text' }, '"value": give the text to wait for.'],
    [{ for: 'regex' }, '"value": give the regular expression to wait for.'],
    [{ for: 'exit', value: 'x' }, '"value" is for "text" and "regex"; leave it out to wait for "exit".'],
    [{ for: 'regex', value: '(' }, 'The pattern is not a regular expression'],
    [{ for: 'lunch' }, '"for"'],
    [{ for: 'exit', timeout_ms: 600_001 }, '"timeout_ms"'],
  ] as const
  for (const [args, sentence] of wrong) expect(await box.failure('wait_for', args)).toContain(sentence)
})

test('a long call sends progress until it ends', () => {
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

test('a pattern matches a prompt with its trailing blank, and a line without its trailing blanks', async () => {
  const box = await openToolbox(`printf 'done          \\n$ '; exec cat`)
  await box.until(() => box.terminal.screen.cursor().row === 1)
  for (const value of ['\\$ $', '^done$']) {
    const found = await box.call('wait_for', { for: 'regex', value, timeout_ms: 0 })
    expect(found).toMatchObject({ met: true, reason: 'screen' })
  }
})

test('a slow pattern delays only its own call, and is stopped after a while', async () => {
  const box = await openToolbox(
    `stty -echo; node -e 'let s = 1; const line = () => Array.from({ length: 16000 }, () => "ab"[(s = (s * 48271) % 2147483647) & 1]).join(""); for (let n = 0; n < 9; n++) console.log(line())'; echo printed; exec cat`,
    { cols: 500, rows: 300 },
  )
  await box.call('wait_for', { for: 'text', value: 'printed' })
  // The largest pattern on the largest screen takes more than twice the limit, so a faster machine does not matter.
  const slow = '(?:a|b|ab|ba)*a(?:[ab]|ab|ba){69}[0-9]'
  let failure: unknown
  const turn = await longestTurn(async () => {
    const waits = Array.from({ length: 2 }, () =>
      box.call('wait_for', { for: 'regex', value: slow }).catch((error: unknown) => (failure = error)),
    )
    await Promise.all(waits)
  })
  expect(String(failure)).toMatch(/The pattern takes too long on this terminal's text\. Write a simpler one/)
  expect(turn).toBeLessThan(400)
  const addresses = box.call('list_detected_urls', { regex: slow })
  await expect(addresses).rejects.toThrow(/takes too long/)
  expect(await box.call('wait_for', { for: 'regex', value: '^print.d$', timeout_ms: 0 })).toMatchObject({ met: true })
})

test('a screen full of blanks does not block the hub', async () => {
  const box = await openToolbox(`stty -echo; printf '%149990s' x; printf printed; exec cat`, { cols: 500, rows: 300 })
  await box.call('wait_for', { for: 'text', value: 'printed' })
  const turn = await longestTurn(() => box.call('wait_for', { for: 'text', value: 'none', timeout_ms: 0 }))
  expect(turn).toBeLessThan(1_000)
})
