import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

test.each([0, 12])('gives way to a hub whose priority is lower by %i, as any user', async (lower) => {
  const module = fileURLToPath(new URL('index-worker.ts', import.meta.url))
  const args = ['-n', String(lower), process.execPath, module]
  const worker = spawn('nice', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  onTestFinished(() => void worker.kill('SIGKILL'))
  worker.send({ id: 1, question: {} })
  const [answer] = (await Promise.race([once(worker, 'message'), once(worker, 'exit')])) as [unknown]
  expect(answer).toMatchObject({ id: 1 })
  expect(getPriority(worker.pid)).toBe(Math.max(5, Math.min(19, getPriority() + lower)))
})
