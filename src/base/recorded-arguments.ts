/** The arguments of a call as an event keeps them: that one was there is told, what it said may not be. */
export function recordedArguments(
  args: Readonly<Record<string, unknown>>,
  unrecorded: readonly string[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, unrecorded.includes(name) ? '[not recorded]' : value]),
  )
}
