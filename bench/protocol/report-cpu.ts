/** Preloaded into a server under test: reports the CPU time of the process to its parent. */
process.on('message', () => process.send?.(process.cpuUsage()))
// The channel must not keep the server alive.
process.channel?.unref()
