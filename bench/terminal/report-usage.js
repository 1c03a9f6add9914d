/**
 * Loaded before a hub under test: answers its parent with what the process has used so far. Plain JavaScript, so that the
 * compiler is not counted.
 */
process.on('message', (question) => {
  if (question === 'cpu') return process.send?.(process.cpuUsage())
  globalThis.gc?.()
  return process.send?.(process.memoryUsage())
})
// A hub must be able to end as if nobody had asked.
process.channel?.unref()
