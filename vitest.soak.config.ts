/** `npm run soak`: the full counts, one file after another, since each wants the machine for itself. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/soak/**/*.soak.ts'],
    setupFiles: ['test/close-left-open.ts'],
    env: { SHELL: '/bin/bash' },
    pool: 'forks',
    fileParallelism: false,
  },
})
