/** A Claude Code that sends more than the hub can take, without end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testPipedPrograms } from '../../../test/fixtures/piped-programs.ts'
import type { TestSessionOptions } from '../../../test/fixtures/run-session.ts'
import { allowed, refused, testSession } from '../../../test/fixtures/run-session.ts'
import { until } from '../../../test/fixtures/until.ts'
import type { OwnToolAnswer, OwnToolCall } from '../port/own-tools.ts'
import { createClaudeRun } from './claude-run.ts'

const ask = (n: number, command = `echo ${n}`) =>
  JSON.stringify({
    type: 'control_request',
    request_id: `r${n}`,
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command }, tool_use_id: `c${n}` },
  })
const say = (n: number, text: string) =>
  JSON.stringify({
    type: 'assistant',
    uuid: `u${n}`,
    session_id: 's',
    message: { id: `m${n}`, model: 'm', content: [{ type: 'text', text }] },
  })
const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n + 1))

/** A program that prints these lines and then waits. It ends with its input, or with a signal. */
async function printing(lines: readonly string[], options: TestSessionOptions = {}) {
  const session = testSession(options)
  const programs = testPipedPrograms()
  const file = join(programs.directory, 'lines')
  const text = `${lines.join('\n')}\n`
  writeFileSync(file, text)
  const program = await programs.start(`cat ${file}; exec cat > /dev/null`)
  const run = await createClaudeRun(session, program)
  onTestFinished(() => run[Symbol.dispose]())
  const answers = () => [...program.inputs(0)].filter(({ text: input }) => input?.includes('control_response')).length
  return { session, program, run, answers, size: Buffer.byteLength(text) }
}

test('is read only as far as the hub can answer, and then further, until each request has an answer', async () => {
  const decisions: ((answer: OwnToolAnswer) => void)[] = []
  const authorize = () => new Promise<OwnToolAnswer>((resolve) => void decisions.push(resolve))
  const { session, program, answers, size } = await printing(many(300, ask), { authorize })
  await until(() => decisions.length >= 64)
  await until(() => program.offset === size)
  expect(session.calls).toHaveLength(64)
  for (const decide of decisions.splice(0)) decide(allowed)
  await until(() => decisions.length >= 64)
  expect(session.calls).toHaveLength(128)
  while (session.calls.length < 300) {
    for (const decide of decisions.splice(0)) decide(refused('no'))
    await until(() => decisions.length > 0)
  }
  for (const decide of decisions.splice(0)) decide(allowed)
  await until(() => answers() === 300)
})

test('is read on while its calls wait for a person, so that the hub sees that it cancels one', async () => {
  async function authorize({ onHeld, signal }: OwnToolCall): Promise<OwnToolAnswer> {
    onHeld?.('a')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return refused('cancelled')
  }
  const cancel = JSON.stringify({ type: 'control_cancel_request', request_id: 'r1' })
  const { session } = await printing([...many(100, ask), cancel], { authorize })
  await until(() => session.calls[0]?.signal.aborted)
  expect(session.calls.filter(({ signal }) => signal.aborted)).toHaveLength(1)
})

test('asks a person so many questions and no more', async () => {
  const question = (n: number) =>
    JSON.stringify({
      type: 'control_request',
      request_id: `r${n}`,
      request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions: [{ question: `q${n}` }] } },
    })
  const { run, answers } = await printing(many(150, question))
  await until(() => answers() === 50)
  expect(run.question?.text).toBe('q1')
})

test('asks no questions that together take too much memory', async () => {
  const question = (n: number) =>
    JSON.stringify({
      type: 'control_request',
      request_id: `r${n}`,
      request: {
        subtype: 'can_use_tool',
        tool_name: 'AskUserQuestion',
        input: { questions: [{ question: `q${n}${'?'.repeat(400_000)}` }] },
      },
    })
  const { answers } = await printing([...many(10, question), ask(11)])
  await until(() => answers() === 9)
})

test('shows only the beginning of a text that it never finishes', async () => {
  const delta = () =>
    JSON.stringify({
      type: 'stream_event',
      session_id: 's',
      event: {
        type: 'content_block_delta',
        message: { id: 'm' },
        index: 0,
        delta: { type: 'text_delta', text: 'x'.repeat(400_000) },
      },
    })
  const { session } = await printing([say(1, 'one'), ...many(6, delta), ask(1)])
  await until(() => session.calls.length === 1)
  await until(() => session.drafts.length > 0)
  expect(session.drafts.at(-1)!.text).toHaveLength(1024 * 1024)
})

test('is not understood where it names something with a text of any length', async () => {
  const { session, answers } = await printing([ask(1).replace('"c1"', `"${'c'.repeat(5_000)}"`), ask(2)])
  await until(() => answers() === 2)
  expect(session.calls).toHaveLength(1)
})

test('is stopped when it sends a line that would take too much memory, and the session says so', async () => {
  const heavy = `{"type":"assistant","x":[${'{},'.repeat(300_000)}{}]}`
  const { run } = await printing([heavy])
  await until(() => run.status.is !== 'running')
  expect(run.fault).toMatch(/more than 200000 keys and array elements\. So the session was stopped\./)
})

test('is stopped without a wait for its backlog, and the session says how much was not read', async () => {
  const stored = Promise.withResolvers<void>()
  const { session, program, run, size } = await printing(
    many(2_000, (n) => say(n, 'x'.repeat(1_000))),
    {
      more: { conversation: 's' },
    },
  )
  const append = session.thread.append.bind(session.thread)
  // A slow disk.
  session.thread.append = async (...given) => {
    await append(...given)
    if (session.entries.length > 2) await stored.promise
  }
  await until(() => session.entries.length > 2 && program.offset === size)
  const stopping = run.stop()
  await until(() => program.status.is !== 'running')
  stored.resolve()
  await stopping
  expect(run.status.is).toBe('exited')
  const [, unread] = /read the last (\d+) bytes of its output/.exec(run.fault ?? '') ?? []
  expect(Number(unread)).toBeGreaterThan(size / 2)
  expect(session.entries.length).toBeLessThan(1_000)
})
