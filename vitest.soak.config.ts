/** `npm run soak`: tests with full counts, one file after another, because each needs the whole machine. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/soak/**/*.soak.ts'],
    globalSetup: ['test/own-home.ts', 'test/bundle-setup.ts'],
    setupFiles: ['test/close-left-open.ts'],
    env: { SHELL: '/bin/bash' },
    pool: 'forks',
    fileParallelism: false,
  },
})
