/**
 * Records the first minute with the page: an empty hub, a session that starts, its work, a question, and the answer.
 * Needs ffmpeg.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createRepository, git } from '../../test/fixtures/git-repository.ts'
import { prompts } from './agent-scripts.ts'
import { type Camera, images } from './camera.ts'
import { startStage } from './stage.ts'
import { commitFiles } from './storefront.ts'

/** A still moment is cut to this length. */
const longestStillMs = 1_500
const lastStillMs = 4_000

const files = {
  'retry.test.mjs': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptsOf } from './retry.mjs'

test('a paid order is charged once', () => assert.equal(attemptsOf({ paid: true }), 1))
test('a failed charge is tried again', () => assert.ok(attemptsOf({ paid: false }) > 1))
test('five attempts are the limit', () => assert.equal(attemptsOf({ paid: false }), 5))
test('an order without a total is not charged', () => assert.equal(attemptsOf(undefined), 0))
`,
  'retry.mjs': `export function attemptsOf(order) {
  if (!order) return 0
  return order.paid ? 1 : 5
}
`,
}

export async function recordFirstMinute(camera: Camera): Promise<void> {
  await using stage = await startStage((home) => ({ working_dir: join(home, 'src/storefront') }))
  const { home } = stage
  createRepository(join(home, 'storefront.git'))
  const checkout = commitFiles(join(home, 'src/storefront'), files)
  git(checkout, 'checkout', '--quiet', '-b', 'fix/retry-limit')
  git(checkout, 'remote', 'add', 'origin', '../../storefront.git')

  const page = await camera.open(stage)
  const frames = await record(page, join(home, 'frames'), () => liveThrough(page))
  const list = join(home, 'frames/list.txt')
  writeFileSync(list, frames.map(({ path, ms }) => `file '${path}'\nduration ${ms / 1_000}\n`).join(''))
  const filter =
    'scale=1000:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=128:stats_mode=full[p];[b][p]paletteuse=dither=none'
  const input = ['-f', 'concat', '-safe', '0', '-i', list]
  const output = ['-fps_mode', 'vfr', '-loop', '0', '-y', join(images, 'first-minute.gif')]
  execFileSync('ffmpeg', ['-loglevel', 'error', ...input, '-vf', filter, ...output])
}

async function liveThrough(page: Page): Promise<void> {
  await page.getByText('Start your first session').waitFor()
  await sleep(longestStillMs)
  await page.getByRole('radio', { name: /^assistant/ }).check({ force: true })
  await page.getByLabel('Name').fill('storefront-1')
  await page.getByLabel('What should it do?').pressSequentially(prompts.firstMinute, { delay: 40 })
  await page.getByRole('button', { name: 'Start session' }).click()
  const ask = page.getByRole('region', { name: 'Approval' })
  await ask.getByRole('button', { name: 'Allow once' }).waitFor()
  await sleep(2 * longestStillMs)
  await ask.getByRole('button', { name: 'Allow once' }).click()
  await page.getByRole('log', { name: 'Thread' }).getByText('is pushed').waitFor()
  await sleep(longestStillMs)
}

interface Frame {
  readonly path: string
  readonly ms: number
}

/** Keeps each picture that differs from the one before. */
async function record(page: Page, folder: string, live: () => Promise<void>): Promise<readonly Frame[]> {
  mkdirSync(folder)
  const taken: { readonly path: string; readonly at: number }[] = []
  let before: Buffer = Buffer.alloc(0)
  let isOver = false
  const living = live().finally(() => (isOver = true))
  while (!isOver) {
    const picture = await page.screenshot()
    if (picture.equals(before)) continue
    before = picture
    const path = join(folder, `${taken.length}.png`)
    writeFileSync(path, picture)
    taken.push({ path, at: performance.now() })
  }
  await living
  return taken.map(({ path, at }, index) => {
    const next = taken[index + 1]
    return { path, ms: next ? Math.min(next.at - at, longestStillMs) : lastStillMs }
  })
}
