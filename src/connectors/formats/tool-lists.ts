/**
 * The tool filters of other programs: `enabled_tools` and `disabled_tools` of Codex, `includeTools` and `excludeTools` of
 * Gemini, `disabledTools` of Windsurf, Kiro and Roo, `tools` of Copilot. Cursor and VS Code keep theirs outside of the file.
 */
import { defined } from '../../base/defined.ts'

/** A list in an unknown form stays as it is, so that the check refuses it and no tool is offered by mistake. */
export function toolLists(
  take: (...names: readonly string[]) => unknown,
  left: ReadonlyMap<string, unknown>,
): Readonly<Record<string, unknown>> {
  const enabled = take('enabled_tools', 'enabledTools', 'includeTools') ?? (isNames(left.get('tools')) && take('tools'))
  const disabled = take('disabled_tools', 'disabledTools', 'excludeTools')
  return defined({
    enabled_tools: enabled === false || isAll(enabled) ? undefined : plainNames(enabled),
    disabled_tools: plainNames(disabled),
  })
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isAll(value: unknown): boolean {
  return isNames(value) && value.includes('*')
}

/** Gemini allows arguments after the name: `run(ls)`. A connector has names only. */
function plainNames(value: unknown): unknown {
  return isNames(value) ? value.map((name) => name.split('(')[0]!) : value
}
