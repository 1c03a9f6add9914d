import { test } from 'vitest'
import { killWhileIndexing } from '../fixtures/kill-indexing.ts'

test('an index survives kill -9 while indexing, twenty times', { timeout: 3_600_000 }, () => killWhileIndexing(20))
