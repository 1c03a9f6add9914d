/** `npm run test:agents`: tests with the real agents. Two files at a time, because agents mostly wait. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/agents/**/*.agents.ts'],
    globalSetup: ['test/own-home.ts', 'test/bundle-setup.ts'],
    setupFiles: ['test/close-left-open.ts'],
    env: { SHELL: '/bin/bash' },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
