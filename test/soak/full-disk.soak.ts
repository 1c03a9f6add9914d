import { test } from 'vitest'
import { limiter, outliveFullDisk } from './full-disk.ts'

limiter.describe('a full disk', () => {
  test('stops none of twenty sessions, even if the hub is killed', { timeout: 3_600_000 }, async () => {
    await outliveFullDisk({ sessions: 20 })
  })
})
