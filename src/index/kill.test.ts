import { test } from 'vitest'
import { killWhileIndexing } from '../../test/fixtures/kill-indexing.ts'

test('after kill -9 while indexing, the next start serves the last complete index and finishes the rest', () =>
  killWhileIndexing(3))
