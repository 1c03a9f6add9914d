/** The groups in which tools are listed (API, "Toolsets"). */
export const toolsetNames = [
  'sessions',
  'terminal',
  'approvals',
  'connectors',
  'policy',
  'agents',
  'repositories',
  'events',
  'admin',
  'search',
] as const

export const everyToolset = 'all'

/** The names that are not toolsets. */
export function unknownToolsets(names: readonly string[]): readonly string[] {
  return names.filter((name) => name !== everyToolset && !(toolsetNames as readonly string[]).includes(name))
}
