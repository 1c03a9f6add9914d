import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const module = JSON.stringify(new URL('give-back-memory.ts', import.meta.url).href)

test('a process that has loaded much and does little gives its young generation back, and can be given it anew', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { getHeapSpaceStatistics } from 'node:v8'
     import { giveBackMemory } from ${module}
     const youngMb = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1e6
     const load = () => Array.from({ length: 300_000 }, (_, index) => ({ index }))
     globalThis.loaded = load()
     const loaded = youngMb()
     giveBackMemory()
     const idle = youngMb()
     globalThis.more = load()
     console.log(JSON.stringify({ loaded, idle, again: youngMb() }))`,
  ])
  const { loaded, idle, again } = JSON.parse(stdout) as Record<'loaded' | 'idle' | 'again', number>
  expect(idle).toBeLessThan(loaded / 4)
  expect(again).toBeGreaterThan(idle * 2)
})
