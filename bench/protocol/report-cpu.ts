/** Loaded before a server under test: answers its parent with the CPU time the process has used so far. */
process.on('message', () => process.send?.(process.cpuUsage()))
// A server must be able to end as if nobody had asked.
process.channel?.unref()
