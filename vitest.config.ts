import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/postgres-setup.ts'],
    setupFiles: ['test/share-compiled-code.ts', 'test/close-left-open.ts'],
    env: {
      // The programs that tests start as lines of a shell are written for this one, whoever runs them.
      SHELL: '/bin/bash',
      // Of the many processes that tests start, each would compile the whole hub anew.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compiled', import.meta.url)),
    },
    // On a machine that others use too, one that stalls for seconds is asked again. What fails twice is a fault.
    retry: process.env['CI'] ? 1 : 0,
    pool: 'forks',
    // Many wait for a clock or another process: with two more than the two cores that we count on, none of these is idle.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
