/** Which tools of an upstream agents can see and call. The lists hold the upstream's own names; `*` is any text. */
export interface ToolFilter {
  /** Only these. `undefined`: all of them. */
  readonly enabled?: readonly string[] | undefined
  /** None of these, even if they are enabled. */
  readonly disabled?: readonly string[] | undefined
}

export function createToolTest({ enabled, disabled = [] }: ToolFilter): (tool: string) => boolean {
  const isEnabled = enabled === undefined ? () => true : createListTest(enabled)
  const isDisabled = createListTest(disabled)
  return (tool) => isEnabled(tool) && !isDisabled(tool) && !isDisabled(clientName(tool))
}

/**
 * opencode and other clients show a tool under this name, so their lists may contain it. Only `disabled` matches by it:
 * a ban may match more than it names, but a permission must not.
 */
function clientName(tool: string): string {
  return tool.replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

function createListTest(names: readonly string[]): (tool: string) => boolean {
  const exact = new Set(names)
  const patterns = names.filter((name) => name.includes('*')).map((name) => name.split('*'))
  return (tool) => exact.has(tool) || patterns.some((parts) => hasParts(tool, parts))
}

/** The first part is at the start, the last at the end, and the others between them in order. */
function hasParts(text: string, [start = '', ...rest]: readonly string[]): boolean {
  const end = rest.at(-1) ?? ''
  if (!text.startsWith(start) || !text.endsWith(end)) return false
  let at = start.length
  for (const part of rest.slice(0, -1)) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= text.length - end.length
}
