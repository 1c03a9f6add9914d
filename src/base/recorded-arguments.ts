/** The arguments of a call as an event records them. The name of an argument is always recorded, its value may not be. */
export function recordedArguments(
  args: Readonly<Record<string, unknown>>,
  unrecorded: readonly string[] = [],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, unrecorded.includes(name) ? '[not recorded]' : value]),
  )
}
