import type { ClientCapabilities } from './sdk.ts'

/** The capabilities that the hub declares to an upstream which needs them before any agent's client is known. */
export const clientCapabilities: ClientCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
}
