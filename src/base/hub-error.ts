/** An error whose message its caller is told. Any other error is a bug: its caller is told that the hub failed. */
export abstract class ToldError extends Error {}

/**
 * A failure the caller can act on. The message says what to do next: its reader is often a model.
 * Each surface has one table that turns the code into an HTTP status, a JSON-RPC code or an exit code.
 */
export type HubErrorCode =
  | 'invalid' // the input is wrong; the message names the field and what would work
  | 'unauthorized' // no or unknown token
  | 'forbidden' // known, but not allowed
  | 'not-found'
  | 'conflict' // already there, or in use by someone else
  | 'too-large'
  | 'busy' // too many at once; the same call works later
  | 'unavailable' // something this needs is not there or not up

export class HubError extends ToldError {
  override readonly name = 'HubError'
  readonly code: HubErrorCode
  readonly data: Readonly<Record<string, unknown>> | undefined

  constructor(code: HubErrorCode, message: string, options?: { cause?: unknown; data?: Record<string, unknown> }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.data = options?.data
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof HubError && error.code === 'not-found'
}

/** The text of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
