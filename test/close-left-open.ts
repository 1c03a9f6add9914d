/** Runs with every test file; what is registered first is called last, after the file has cleaned up for itself. */
import { afterAll } from 'vitest'
import { closeLeftOpen } from './harness/left-open.ts'

afterAll(closeLeftOpen)
