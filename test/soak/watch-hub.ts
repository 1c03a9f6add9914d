/**
 * Loaded before the hub in fuzz tests. Sends its parent the memory after a garbage collection, and the longest stall of
 * the event loop since the last request. A stall is CPU time of the hub's own thread between two ticks, so that a busy
 * machine does not count.
 */
import { cpuMs } from '../../src/base/cpu-ms.ts'

let before = cpuMs()
let longestStallMs = 0
setInterval(() => {
  const now = cpuMs()
  longestStallMs = Math.max(longestStallMs, now - before)
  before = now
}, 5).unref()

process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ heapUsed: process.memoryUsage().heapUsed, longestStallMs })
  longestStallMs = 0
  before = cpuMs()
})
process.channel?.unref()
