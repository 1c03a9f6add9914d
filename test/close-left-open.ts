/** Runs with every test file. The hook that is registered first runs last, after the file has cleaned up for itself. */
import { afterAll } from 'vitest'
import { closeLeftOpen } from './harness/left-open.ts'

afterAll(closeLeftOpen)
