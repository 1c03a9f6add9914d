import { toolsetChoices, unknownToolsets } from '../api/toolsets.ts'
import { HubError } from '../base/hub-error.ts'

/** `?toolsets=sessions,terminal` */
export function readToolsets(query: string): readonly string[] | undefined {
  const asked = new URLSearchParams(query).get('toolsets')
  if (asked === null) return undefined
  const names = asked.split(',').map((name) => name.trim())
  const unknown = unknownToolsets(names)
  if (unknown.length === 0) return names
  const known = toolsetChoices.join(', ')
  throw new HubError('invalid', `Unknown toolset "${unknown[0]?.slice(0, 40)}". The toolsets are: ${known}.`)
}
