/** Names in rules that match no tool, and the name that was probably meant. */
import { isOwnTool } from '../api/own-tools.ts'
import { nearest } from '../base/nearest.ts'
import { matchesGlob } from './glob.ts'

/** The tools of a mount, as policies name them. `undefined`: they were not listed yet. */
export interface KnownMount {
  readonly mount: string
  readonly tools: readonly string[] | undefined
}

export interface UnknownName {
  readonly didYouMean?: string
}

/** Returns `undefined` if a tool has the name, and if that cannot be known. */
export function findUnknownName(name: string, mounts: readonly KnownMount[]): UnknownName | undefined {
  const tools = mounts.flatMap((each) => each.tools ?? [])
  if (tools.some((tool) => matchesGlob(name, tool)) || isOpenEnded(name, mounts)) return undefined
  const ofMount = tools.filter((tool) => firstWord(tool) === firstWord(name))
  const candidates = (ofMount.length > 0 ? ofMount : tools).flatMap((tool) => [tool, ...wideNames(tool)])
  const didYouMean = nearest(name, name.includes('*') ? candidates.filter((each) => each.includes('*')) : candidates)
  // An agent may have a tool that no list names.
  if (didYouMean === undefined && isOwnTool(name)) return undefined
  return didYouMean === undefined ? {} : { didYouMean }
}

/** It may match a tool of a mount that has not been listed. */
function isOpenEnded(name: string, mounts: readonly KnownMount[]): boolean {
  if (/[*?]/.test(firstWord(name))) return true
  return mounts.some(({ mount, tools }) => tools === undefined && name.startsWith(`${mount}_`))
}

function firstWord(name: string): string {
  return name.split('_', 1)[0] ?? ''
}

/** `github_*` and `github_get_*` of `github_get_issue` */
function wideNames(tool: string): readonly string[] {
  const words = tool.split('_')
  return words.slice(1).map((_, index) => `${words.slice(0, index + 1).join('_')}_*`)
}
