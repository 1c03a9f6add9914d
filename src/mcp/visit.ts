import type { Principal } from '../base/principal.ts'
import type { Face } from './face.ts'

/** Who came, and what it may see. */
export interface Visit {
  readonly caller: Principal
  readonly face: Face
  /** From `?toolsets=`, where given. */
  readonly toolsets?: readonly string[]
}

/** One HTTP request: it repeats parts of its body in headers, and those must be cross-checked. */
export interface HttpVisit extends Visit {
  header(name: string): string | undefined
}

export function isHttp(visit: Visit): visit is HttpVisit {
  return 'header' in visit
}

export function toolsetsOf(visit: Visit, remembered?: readonly string[]): readonly string[] {
  return visit.toolsets ?? remembered ?? visit.caller.toolsets ?? visit.face.defaultToolsets
}
