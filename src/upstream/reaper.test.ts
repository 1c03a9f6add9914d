import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { carriersOf, isAlive, withArgument } from '../../test/fixtures/processes.ts'
import { hearing } from '../../test/fixtures/transport-listener.ts'
import { until } from '../../test/fixtures/until.ts'
import { createReaper, markOfHome } from './reaper.ts'
import { createStdioTransport } from './stdio-transport.ts'

const owner = fileURLToPath(new URL('../../test/fixtures/upstream-owner.ts', import.meta.url))

test('upstreams and all their processes end with a hub that is killed with its whole process group', async () => {
  const { homeId, group, left, unmarked, reaper } = await startOwner()
  expect(isAlive(left) && isAlive(unmarked)).toBe(true)
  process.kill(-group, 'SIGKILL')
  await until(() => !isAlive(left) && !isAlive(unmarked))
  await until(() => carriersOf(markOfHome(homeId)).length === 0)
  await until(() => !isAlive(reaper))
})

test('the reaper holds nothing of the hub but the pipe that signals its end', async () => {
  const { reaper, group } = await startOwner()
  // The test runner may have left descriptors open for all processes. While the shell reads a line it has its own pipe.
  const everybodys = new Set(['/dev/null', ...descriptorsOf(process.pid)])
  const held = await until(() => {
    const others = descriptorsOf(reaper).filter((target) => !everybodys.has(target))
    return others.length === 1 && others
  })
  expect(held).toEqual([expect.stringMatching(/^socket:/)])
  expect(readlinkSync(`/proc/${reaper}/cwd`)).toBe('/')
  process.kill(-group, 'SIGKILL')
  await until(() => !isAlive(reaper))
})

test('processes that a hub left behind together with its reaper are ended by the next hub, which spares its own', async () => {
  const { homeId, group, left, reaper: killed } = await startOwner()
  process.kill(killed, 'SIGKILL')
  await until(() => !isAlive(killed))
  process.kill(-group, 'SIGKILL')

  const { reaper, transport } = await startSleeper(homeId)
  const stale = carriersOf(markOfHome(homeId)).length - 1
  expect(stale).toBeGreaterThanOrEqual(2)
  expect(await reaper.sweepStale()).toBe(stale)
  expect(isAlive(left)).toBe(false)
  expect(carriersOf(markOfHome(homeId))).toHaveLength(1)
  expect(await reaper.sweepStale()).toBe(0)
  await transport.close()
})

test('the reaper ends with a hub that stops normally, and ends upstreams that were not closed', async () => {
  const homeId = randomUUID()
  const { reaper } = await startSleeper(homeId)
  await onlyReaperOf(homeId)
  await reaper[Symbol.asyncDispose]()
  await until(() => reapersOf(homeId).length === 0)
  expect(carriersOf(markOfHome(homeId))).toEqual([])
})

test('a killed reaper is replaced at the next upstream, and the new one knows the earlier upstreams', async () => {
  const homeId = randomUUID()
  const { reaper } = await startSleeper(homeId)
  const first = await onlyReaperOf(homeId)
  process.kill(first, 'SIGKILL')
  await until(() => !isAlive(first))
  await until(() => {
    // The reaper works through the ends of upstreams one by one, so each one sent here delays its own end.
    if (reapersOf(homeId).length === 0) reaper.mark().ended()
    return reapersOf(homeId).length === 1
  })
  await reaper[Symbol.asyncDispose]()
  expect(carriersOf(markOfHome(homeId))).toEqual([])
})

async function startOwner() {
  const homeId = randomUUID()
  const program = spawn(process.execPath, [owner, homeId], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void program.kill('SIGKILL'))
  const [line] = (await once(program.stdout, 'data')) as [Buffer]
  const started = JSON.parse(line.toString()) as { left: number; unmarked: number }
  // Without a reaper, a process that dropped its mark is not found.
  onTestFinished(() => endIfAlive(started.unmarked))
  return { homeId, group: program.pid!, reaper: await onlyReaperOf(homeId), ...started }
}

async function startSleeper(homeId: string) {
  const reaper = createReaper({ homeId })
  const transport = createStdioTransport({
    command: '/bin/sleep',
    args: ['600'],
    env: {},
    cwd: '/',
    reaper,
    redact: String,
  })
  onTestFinished(() => transport.close())
  await transport.start(hearing())
  return { reaper, transport }
}

function endIfAlive(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
}

function descriptorsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)]
    } catch {
      return []
    }
  })
}

/** A reaper has the mark that it looks for in its arguments, not in its environment. */
function reapersOf(homeId: string): number[] {
  return withArgument(markOfHome(homeId)).filter(isAlive)
}

/** For a moment, a command that the script starts has the arguments of the shell. */
async function onlyReaperOf(homeId: string): Promise<number> {
  return until(() => {
    const [reaper, ...others] = reapersOf(homeId)
    return others.length === 0 && reaper
  })
}
