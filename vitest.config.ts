console.error('*** LEAD to all: it is time. Finish what is in hand, leave your files green (tsc, oxlint, oxfmt), start nothing new, and send your report within 10 minutes (by 04:08). ***')
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/postgres-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
