/**
 * Delivery of prompts: the program itself has to show the text. The terminal's echo or an empty input proves nothing.
 */
import { expect, test, vi } from 'vitest'
import { useSqliteWorld } from '../../../test/worlds/session-world.ts'
import type { Delivery } from '../port/driver.ts'

const { signal } = new AbortController()
const prompt = 'please work'
const waiting = { timeout: 60_000, interval: 20 }

async function deliver(template: Record<string, unknown>): Promise<Delivery | undefined> {
  const { sessions } = await useSqliteWorld([{ name: 'agent', ...template }])
  const created = await sessions.create({ name: 'asked', template: 'agent', prompt }, signal)
  return created.prompt
}

const whenReady = { ready: 'ready', quiet_ms: 20 }

test('the echo of the terminal does not prove that the program took the prompt', async () => {
  const delivery = await deliver({ command: 'echo ready; sleep 100', prompt: whenReady })
  expect(delivery).toEqual({
    delivered: false,
    reason: expect.stringMatching(
      /the screen shows only its echo, and the template does not say .* Look at it with read_screen/,
    ),
  })
})

test('a silent program without echo does not prove that it took the prompt', async () => {
  const delivery = await deliver({ command: 'stty -echo; echo ready; sleep 100', prompt: whenReady })
  expect(delivery).toMatchObject({ delivered: false, reason: expect.stringContaining('the screen shows no answer') })
})

test.for(['', 'stty -echo; '])(
  'output after Enter proves that the program took the prompt, after "%s"',
  async (echo) => {
    expect(await deliver({ command: `${echo}echo ready; cat`, prompt: whenReady })).toEqual({ delivered: true })
  },
)

/** A program that reads single keys, shows the text (or `shown` instead) in its box, and clears the box on Enter. */
function boxed(shown: string): string {
  const text = `$(head -c ${prompt.length})`
  return `stty raw -echo; printf 'ready [empty]'; text="${text}"; printf '\\r\\033[2Kready [%s]' "${shown}"; head -c 1 > /dev/null; printf '\\r\\033[2Kready [empty]'`
}

const box = { ...whenReady, ready: 'empty', emptied: '\\[empty\\]' }

test('an input box that shows the text and then is empty proves that the prompt was taken', async () => {
  expect(await deliver({ command: `${boxed('$text')}; cat`, prompt: box })).toEqual({ delivered: true })
})

test('an input box that never showed the text proves nothing when it is empty', async () => {
  expect(await deliver({ command: boxed('empty'), prompt: box })).toMatchObject({ delivered: false })
})

test('text that was on the screen before does not count as an echo', async () => {
  const command = `echo '${prompt}'; ${boxed('empty')}`
  expect(await deliver({ command, prompt: box })).toMatchObject({ delivered: false })
})

test('the template can name the placeholder that stands for a long text', async () => {
  const command = boxed('<much text>')
  const withPlaceholder = { ...box, pasted: '<much text>' }
  expect(await deliver({ command: `${command}; cat`, prompt: withPlaceholder })).toEqual({ delivered: true })
  expect(await deliver({ command, prompt: box })).toMatchObject({ delivered: false })
})

test('a prompt is typed to the end, including Enter, even if its sender disconnects', async () => {
  const { sessions } = await useSqliteWorld([{ name: 'agent', command: 'echo ready; cat', prompt: whenReady }])
  const leaving = new AbortController()
  const created = sessions.create({ name: 'left', template: 'agent', prompt }, leaving.signal).catch(() => {})
  const terminal = await vi.waitFor(async () => (await sessions.runOf(await sessions.find('left'))).terminal!, waiting)
  const shown = () => terminal.screen.text().split(prompt).length - 1
  const stop = terminal.onChange(() => {
    if (shown() > 0) leaving.abort()
  })
  await created
  await vi.waitFor(() => expect(shown()).toBe(2), waiting)
  stop()
})

test('a prompt on the command line is delivered once the program has started', async () => {
  expect(await deliver({ command: 'echo', args: ['{prompt}'] })).toEqual({
    delivered: true,
    reason: 'The prompt was passed on the command line, and the program has started.',
  })
  expect(await deliver({ command: 'cat', args: ['/no/such/file/{prompt}'] })).toMatchObject({
    delivered: false,
    reason: expect.stringContaining('the program ended at once'),
  })
})
