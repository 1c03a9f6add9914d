/**
 * Preloaded into a hub under test: reports the resources of the process to its parent. Plain JavaScript, so that the
 * compiler is not counted.
 */
process.on('message', (question) => {
  if (question === 'cpu') return process.send?.(process.cpuUsage())
  globalThis.gc?.()
  return process.send?.(process.memoryUsage())
})
// The channel must not keep the hub alive.
process.channel?.unref()
