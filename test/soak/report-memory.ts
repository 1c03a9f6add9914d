/** Loaded before the hub in soak tests. Sends its parent the memory usage after a garbage collection. */
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
process.channel?.unref()
