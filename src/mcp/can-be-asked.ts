/** Whether a client can be asked something during a call. Only capabilities that it declared count. */
import type { Client, InputRequest, InputRequired } from './provider.ts'
import type { ClientCapabilities } from './sdk.ts'
import { errorCode, isRecord, RpcError } from './wire.ts'

export function canBeAsked(client: Client, request: InputRequest): boolean {
  return Object.entries(capabilityFor(request)).every(([name, need]) => isDeclared(client.capabilities, name, need))
}

/** Throws if the call would use a capability that the client did not declare. */
export function assertCapable(result: InputRequired, client: Client): void {
  const required = Object.assign({}, ...Object.values(result.inputRequests ?? {}).map(capabilityFor)) as object
  const missing = Object.entries(required).filter(([name, need]) => !isDeclared(client.capabilities, name, need))
  if (missing.length > 0) throw missingCapability(Object.fromEntries(missing))
}

function missingCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const names = Object.keys(requiredCapabilities).join(', ')
  return new RpcError(errorCode.missingCapability, `This needs a client that declares these capabilities: ${names}.`, {
    data: { requiredCapabilities },
    status: 400,
  })
}

function capabilityFor({ method, params }: InputRequest): object {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params?.['mode'] === 'url' ? { url: {} } : { form: {} } }
    case 'sampling/createMessage':
      return { sampling: params?.['tools'] === undefined ? {} : { tools: {} } }
    case 'roots/list':
      return { roots: {} }
  }
}

function isDeclared(capabilities: ClientCapabilities, name: string, need: unknown): boolean {
  const declared = (capabilities as Readonly<Record<string, unknown>>)[name]
  if (!isRecord(declared)) return false
  // An `elicitation` without a mode means forms, as it did before modes existed.
  const namesNoMode = name === 'elicitation' && !('form' in declared) && !('url' in declared)
  if (namesNoMode) return isRecord(need) && 'form' in need
  return !isRecord(need) || Object.keys(need).every((member) => member in declared)
}
