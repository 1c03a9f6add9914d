/** The CPU time of this thread. Unlike a clock, it does not count the time in which others had the processor. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
