import { defaultToolsets } from '../api/toolsets.ts'
import type { Principal } from '../base/principal.ts'
import type { Face } from './face.ts'

/** Who sends a request, and the face that answers it. */
export interface RequestContext {
  readonly caller: Principal
  readonly face: Face
  /** From `?toolsets=`, if given. */
  readonly toolsets?: readonly string[]
}

/** Finds the principal and the face of a stored connection, before its client returns. */
export interface CallerLookup {
  principalOf(tokenId: string): Promise<Principal | undefined>
  faceOf(caller: Principal): Face
}

/** One HTTP request. Its headers repeat parts of the body and must be compared with it. */
export interface HttpRequestContext extends RequestContext {
  header(name: string): string | undefined
}

export function isHttp(context: RequestContext): context is HttpRequestContext {
  return 'header' in context
}

export function toolsetsOf(context: RequestContext, remembered?: readonly string[]): readonly string[] {
  return context.toolsets ?? remembered ?? context.caller.toolsets ?? defaultToolsets
}
