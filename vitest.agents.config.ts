/** `npm run test:agents`: the real agents, one after another, since each wants the machine for itself. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/agents/**/*.agents.ts'],
    setupFiles: ['test/close-left-open.ts'],
    env: { SHELL: '/bin/bash' },
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
