/** Loaded before a hub under test: answers its parent with what the process has used so far. */
process.on('message', () => {
  globalThis.gc?.()
  process.send?.({ memory: process.memoryUsage(), cpu: process.cpuUsage() })
})
// A hub must be able to end as if nobody had asked.
process.channel?.unref()
