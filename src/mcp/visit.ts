import type { Principal } from '../base/principal.ts'
import type { Face } from './face.ts'

/** One HTTP request as the engine sees it: who came, what it may see, and the headers it must cross-check. */
export interface Visit {
  readonly caller: Principal
  readonly face: Face
  /** From `?toolsets=`, where given. */
  readonly toolsets?: readonly string[]
  header(name: string): string | undefined
}

const defaultToolsets: readonly string[] = ['sessions', 'terminal', 'approvals']

export function toolsetsOf(visit: Visit, remembered?: readonly string[]): readonly string[] {
  return visit.toolsets ?? remembered ?? visit.caller.toolsets ?? defaultToolsets
}
