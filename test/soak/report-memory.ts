/** Loaded before the hub in the soak: answers its parent with the memory that is left after a collection. */
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
process.channel?.unref()
