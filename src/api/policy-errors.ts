/** The codes of JSON-RPC that the policy answers with (API, "Decision"). `misuse`: an upstream answered with one of the others. */
export const policyErrorCodes = { abort: -32950, deny: -32951, misuse: -32952, failed: -32953 } as const

/** The call was not let through, so it has not run. */
export function isRefusal(code: unknown): boolean {
  const { abort, deny, failed } = policyErrorCodes
  return code === abort || code === deny || code === failed
}
