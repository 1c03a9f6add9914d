import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'src',
          include: ['src/**/*.test.ts'],
          setupFiles: ['test/seed-properties.ts'],
        },
      },
      { extends: true, test: { name: 'test', include: ['test/**/*.test.ts'] } },
      // It runs the static checks on a copy, and belongs to them.
      { extends: true, test: { name: 'guides', include: ['test/**/*.check.ts'] } },
    ],
    reporters: ['default', './test/report-not-run.ts'],
    globalSetup: [
      'test/own-temporary-files.ts',
      'test/no-process-left.ts',
      'test/own-home.ts',
      'test/bundle-setup.ts',
      'test/postgres-setup.ts',
    ],
    setupFiles: ['test/share-compiled-code.ts', 'test/close-left-open.ts'],
    env: {
      // Tests start shell command lines that are written for bash, whatever the login shell is.
      SHELL: '/bin/bash',
      // Without a cache, each of the many processes that tests start would compile the whole hub.
      NODE_COMPILE_CACHE: fileURLToPath(new URL('.cache/compiled', import.meta.url)),
    },
    pool: 'forks',
    // Files share a worker with its loaded modules, which saves half a second for each. None of them replaces a module.
    isolate: false,
    // Many tests wait for a clock or another process. Five workers keep two cores busy; eight take a fifth more CPU.
    maxWorkers: 5,
    // For what takes as long as a busy machine takes; an assertion ends as soon as it holds.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
