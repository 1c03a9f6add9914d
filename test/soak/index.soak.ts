import { test } from 'vitest'
import { killWhileIndexing } from '../fixtures/kill-indexing.ts'

test('survives kill -9 while indexing, twenty times', () => killWhileIndexing(20))
