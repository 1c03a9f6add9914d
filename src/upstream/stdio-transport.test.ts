import { readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { carriersOf, isAlive } from '../../test/fixtures/processes.ts'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { hearing, request } from '../../test/fixtures/transport-listener.ts'
import { until } from '../../test/fixtures/until.ts'
import { compileCache } from '../../test/harness/compile-cache.ts'
import { createReaper, markOfHome } from './reaper.ts'
import type { StdioTransportOptions } from './stdio-transport.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { NotSent } from './transport.ts'

const roughProgram = fileURLToPath(new URL('../../test/fixtures/rough-program.ts', import.meta.url))

test('messages are sent and received in chunks of any size', async () => {
  const { transport, heard } = await startRough()
  const said = { text: 'grüße 🚂', unknown: [1, null] }
  await transport.send(request(1, 'echo', said))
  await transport.send(request(2, 'slowly', said))
  expect(await heard.result(1)).toEqual(said)
  expect(await heard.result(2)).toEqual(said)
  expect(heard.messages.every(({ during }) => during === undefined)).toBe(true)
})

test('the members of a batch arrive one by one, and a second answer arrives too', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'batch'))
  await transport.send(request(2, 'twice'))
  await heard.result(2)
  await until(() => heard.answers(2) === 2)
  expect(heard.answers(1)).toBe(2)
})

test('output that is not a message is reported and does not disturb the messages around it', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'noise', { fine: true }))
  expect(await heard.result(1)).toEqual({ fine: true })
  expect(heard.noise).toEqual(['not JSON: Listening on stdio…', 'not JSON: {"half": ', 'JSON, but not a message: 42'])
})

test('a line of 200 megabytes is dropped without being kept, and the next line is read', async () => {
  const { transport, heard } = await startRough({ maxMessageBytes: 1024 * 1024 })
  const before = process.memoryUsage().arrayBuffers
  await transport.send(request(1, 'flood', { bytes: 200 * 1024 * 1024 }))
  const peak = await peakWhile(heard.result(1))
  expect(heard.noise).toEqual(['a message is longer than 1048576 bytes and was dropped'])
  expect(peak - before).toBeLessThan(128 * 1024 * 1024)
})

test('the program sees the environment it was given, its mark, and nothing of the hub', async () => {
  const { transport, heard } = await startRough({ env: { GREETING: 'hello' } })
  await transport.send(request(1, 'environment'))
  const seen = (await heard.result(1)) as Record<string, string>
  expect(Object.keys(seen).sort()).toEqual(['GREETING', 'SIGNALBOX_UPSTREAM'])
})

test('the end of a program is reported with its exit code and its last output', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'grumble'))
  const [reason] = await until(() => heard.ends.length > 0 && heard.ends)
  expect(reason).toBe(`${process.execPath} ended with exit code 3; it last said: out of patience`)
  expect(transport.stderr).toHaveLength(64 * 1024)
  expect(transport.stderr.endsWith('xxx\nout of patience\n')).toBe(true)
  await expect(transport.send(request(2, 'echo'))).rejects.toThrow(NotSent)
})

test('a program that is killed in the middle of a call is reported with its signal', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'hang'))
  await transport.send(request(2, 'die'))
  const ends = await until(() => heard.ends.length > 0 && heard.ends)
  expect(ends).toEqual([`${process.execPath} was ended by SIGKILL`])
})

test('a program that closes its output is ended, because it cannot answer any more', async () => {
  const { transport, heard, pid } = await startRough({ args: ['--stubborn'] })
  await transport.send(request(1, 'mute'))
  const ends = await until(() => heard.ends.length > 0 && heard.ends)
  expect(ends).toEqual([`${process.execPath} closed its output, though it still ran`])
  await until(() => !isAlive(pid))
})

test('processes that the program started in its group end with it', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'fork'))
  const { pid: child } = (await heard.result(1)) as { pid: number }
  await transport.close()
  await until(() => !isAlive(child))
})

test('processes that left the group end too, even if they hold the output open', async () => {
  const { transport, heard } = await startRough()
  await transport.send(request(1, 'fork', { detached: true, holdsOutput: true }))
  const { pid: child } = (await heard.result(1)) as { pid: number }
  expect(isAlive(child)).toBe(true)
  await transport.close()
  await until(() => !isAlive(child))
})

test('a program that ignores the end of its input and SIGTERM is killed', async () => {
  const { transport, heard, pid } = await startRough({ args: ['--stubborn'] })
  await transport.close()
  expect(isAlive(pid)).toBe(false)
  expect(heard.ends).toEqual([])
})

test('a program that does not read makes its caller wait until it is closed', async () => {
  const { transport } = await start({ command: '/bin/sleep', args: ['600'] })
  const large = request(1, 'echo', { text: 'x'.repeat(4 * 1024 * 1024) })
  const sent = transport.send(large).then(
    () => 'sent',
    (error: unknown) => error,
  )
  expect(await Promise.race([sent, isStillWaiting()])).toBe('waiting')
  await transport.close()
  expect(await sent).toBeInstanceOf(NotSent)
})

test('the errors for a missing command, directory and permission name them', async () => {
  const cwd = temporaryDirectory()
  await expect(start({ command: 'no-such-program' })).rejects.toThrow(
    'The command "no-such-program" was not found. Install it, or name it in "cmd" with its full path.',
  )
  await expect(start({ command: 'cat', cwd: `${cwd}/gone` })).rejects.toThrow(
    `The directory ${cwd}/gone, in which cat should run, does not exist. Create it.`,
  )
  await expect(start({ command: '/etc/passwd' })).rejects.toThrow('may not be executed')
})

test('ten starts and stops leave no process, no descriptor and no listener', async () => {
  const reaper = createReaper({ homeId: 'ten' })
  onTestFinished(() => reaper[Symbol.asyncDispose]())
  await startAndStop()
  const before = {
    descriptors: openDescriptors(),
    listeners: process.eventNames().map((name) => process.listenerCount(name)),
  }
  for (let round = 0; round < 10; round++) await startAndStop()
  await until(() => openDescriptors().length <= before.descriptors.length)
  expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(before.listeners)
  await until(() => carriersOf(markOfHome('ten')).length === 0)

  async function startAndStop(): Promise<void> {
    const { transport, heard } = await start({ command: '/bin/cat', reaper })
    await transport.send(request(1, 'echo', { round: true }))
    await until(() => heard.messages.length === 1)
    await transport.close()
  }
})

test('a program that does not read its input is sent no more than the limit', async () => {
  const { transport } = await start({ command: 'sleep', args: ['600'] })
  const large = { text: 'x'.repeat(8 * 1024 * 1024) }
  const sent = Array.from({ length: 10 }, (_, id) => transport.send(request(id, 'echo', large)))
  for (const each of sent) each.catch(() => {})
  await expect(sent.at(-1)).rejects.toThrow(/sleep has not read \d{8} bytes of its input/)
})

async function startRough(options: Partial<StdioTransportOptions> = {}) {
  const args = [roughProgram, ...(options.args ?? [])]
  const started = await start({ env: compileCache, ...options, command: process.execPath, args })
  await started.transport.send(request('pid', 'environment'))
  const { SIGNALBOX_UPSTREAM: mark } = (await started.heard.result('pid')) as Record<string, string>
  const pid = await until(() => carriersOf(`SIGNALBOX_UPSTREAM=${mark}`)[0])
  return { ...started, pid }
}

async function start(options: Partial<StdioTransportOptions> & Pick<StdioTransportOptions, 'command'>) {
  const reaper = options.reaper ?? createReaper({ homeId: 'test' })
  if (!options.reaper) onTestFinished(() => reaper[Symbol.asyncDispose]())
  const transport = createStdioTransport({ args: [], env: {}, cwd: '/', redact: String, ...options, reaper })
  const heard = hearing()
  onTestFinished(() => transport.close())
  await transport.start(heard)
  return { transport, heard }
}

function openDescriptors(): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return []
    }
  })
}

async function peakWhile(work: Promise<unknown>): Promise<number> {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 5)
  await work
  clearInterval(timer)
  return peak
}

/** Waits several turns of the loop: a pipe with free space would have taken the message by then. */
async function isStillWaiting(): Promise<'waiting'> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  return 'waiting'
}
