/**
 * Why a turn failed, and what a person can do about it. Agents and providers report failures in their own words, which
 * the hub recognizes. The agent has already retried before it reports a failure.
 */

export type FailureKind = 'login' | 'rate-limit' | 'context-full'

/** Advice in the words of one agent. */
export interface Remedies {
  readonly login: string
  readonly contextFull: string
}

const contextFull =
  /prompt is too long|context (?:window|length|limit|is full)|maximum context|maximum number of tokens|too many tokens/i
const rateLimit =
  /\b(?:429|529)\b|rate.?limit|too many requests|resource.?exhausted|quota|usage limit|overloaded|\bat capacity\b/i
const login =
  /not logged in|\/login|log ?in again|\b401\b|api.?key|unauthori[sz]ed|unauthenticated|authentication|sign in/i

/** `known`: the agent says what kind of failure it is. */
export function explainFailure(said: string, remedies: Remedies, known?: FailureKind): string {
  const plain = messageIn(said)
  const hint = hintFor(known ?? kindOf(plain), remedies)
  return hint === undefined ? plain : `${plain}${/[.!?]$/.test(plain) ? '' : '.'} ${hint}`
}

function kindOf(said: string): FailureKind | undefined {
  if (contextFull.test(said)) return 'context-full'
  if (rateLimit.test(said)) return 'rate-limit'
  return login.test(said) ? 'login' : undefined
}

function hintFor(kind: FailureKind | undefined, remedies: Remedies): string | undefined {
  switch (kind) {
    case 'context-full':
      return `The context is full: ${remedies.contextFull}`
    case 'rate-limit':
      return 'The provider takes no more requests for now: wait, then send the prompt again, or use another model or account.'
    case 'login':
      return `The agent needs a login: ${remedies.login}`
    case undefined:
      return undefined
  }
}

/** Some agents pass on the body of the provider's answer: `{"error": {"message": …}}`. */
function messageIn(said: string): string {
  const body = /^\[?(?:API Error: )?(\{.*\})\]?$/s.exec(said.trim())?.[1]
  if (body === undefined) return said
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly message?: unknown; readonly status?: unknown } }
    if (typeof error?.message !== 'string') return said
    return typeof error.status === 'string' ? `${error.message} (${error.status})` : error.message
  } catch {
    return said
  }
}
