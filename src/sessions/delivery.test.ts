/** Whether a prompt was delivered: the program has to show it, not the terminal, and not an input that was always empty. */
import { expect, test } from 'vitest'
import { useSqliteWorld } from '../../test/fixtures/session-world.ts'
import type { Delivery } from './prompt.ts'

const { signal } = new AbortController()
const prompt = 'please work'

async function deliver(template: Record<string, unknown>): Promise<Delivery | undefined> {
  const { sessions } = await useSqliteWorld([{ name: 'agent', ...template }])
  const created = await sessions.create({ name: 'asked', template: 'agent', prompt }, signal)
  return created.prompt
}

const whenReady = { ready: 'ready', quiet_ms: 20 }

test('what the terminal echoes is no sign that the program took it', async () => {
  const delivery = await deliver({ command: 'echo ready; sleep 100', prompt: whenReady })
  expect(delivery).toEqual({
    delivered: false,
    reason: expect.stringMatching(/nothing but its echo was seen; its template does not say .* Look with read_screen/),
  })
})

test('nor is silence, where nothing is echoed', async () => {
  const delivery = await deliver({ command: 'stty -echo; echo ready; sleep 100', prompt: whenReady })
  expect(delivery).toMatchObject({ delivered: false, reason: expect.stringContaining('nothing on the screen') })
})

test.for(['', 'stty -echo; '])(
  'what the program prints after Enter is one, with or without an echo: %s',
  async (echo) => {
    expect(await deliver({ command: `${echo}echo ready; cat`, prompt: whenReady })).toEqual({ delivered: true })
  },
)

/** Takes the keys one by one, shows the text in its box or something for it, and empties the box on Enter. */
function boxed(shown: string): string {
  const text = `$(head -c ${prompt.length})`
  return `stty raw -echo; printf 'ready [empty]'; text="${text}"; printf '\\r\\033[2Kready [%s]' "${shown}"; head -c 1 > /dev/null; printf '\\r\\033[2Kready [empty]'`
}

const box = { ...whenReady, ready: 'empty', emptied: '\\[empty\\]' }

test('an input that is empty again shows it was taken, once the text had been in there', async () => {
  expect(await deliver({ command: `${boxed('$text')}; cat`, prompt: box })).toEqual({ delivered: true })
})

test('an input that swallowed the text is as empty, and shows nothing', async () => {
  expect(await deliver({ command: boxed('empty'), prompt: box })).toMatchObject({ delivered: false })
})

test('a text that was on the screen before it was typed is not taken for its echo', async () => {
  const command = `echo '${prompt}'; ${boxed('empty')}`
  expect(await deliver({ command, prompt: box })).toMatchObject({ delivered: false })
})

test('what stands for a long text is the template’s to say', async () => {
  const command = boxed('<much text>')
  const told = { ...box, pasted: '<much text>' }
  expect(await deliver({ command: `${command}; cat`, prompt: told })).toEqual({ delivered: true })
  expect(await deliver({ command, prompt: box })).toMatchObject({ delivered: false })
})

test('a prompt on the command line is delivered when the program has started with it', async () => {
  expect(await deliver({ command: 'echo', args: ['{prompt}'] })).toEqual({
    delivered: true,
    reason: 'It was passed on the command line, and the program has started.',
  })
  expect(await deliver({ command: 'cat', args: ['/no/such/file/{prompt}'] })).toMatchObject({
    delivered: false,
    reason: expect.stringContaining('the program ended at once'),
  })
})
