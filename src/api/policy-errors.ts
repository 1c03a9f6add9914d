/** The JSON-RPC error codes of the policy (API, "Decision"). `misuse`: an upstream answered with one of the other codes. */
export const policyErrorCodes = { abort: -32950, deny: -32951, misuse: -32952, failed: -32953 } as const

/** Whether the code says that the policy refused the call, so it has not run. */
export function isRefusal(code: unknown): boolean {
  const { abort, deny, failed } = policyErrorCodes
  return code === abort || code === deny || code === failed
}
