/** An endpoint that serves one era and answers the other like a server that does not know it. */
import type { Endpoint, LineConnection, Outlet } from '../../../src/endpoint/endpoint.ts'
import { eraOfBody } from '../../../src/endpoint/era.ts'
import { errorCode, RpcError } from '../../../src/mcp/mcp.ts'
import type { RpcMessage } from '../../../src/mcp/mcp.ts'
import { failure, isRequest, legacyVersions, modernVersion } from '../../../src/mcp/wire.ts'

export type ServedEra = 'legacy' | 'modern' | 'both'

export function limitEra(endpoint: Endpoint, served: ServedEra): Endpoint {
  if (served === 'both') return endpoint
  return {
    ...endpoint,
    async post(text, visit, reply) {
      const message = asRequest(text)
      const isModern = visit.header('mcp-protocol-version') === modernVersion || isOf('modern', message)
      if (isModern === (served === 'modern')) return endpoint.post(text, visit, reply)
      const error = served === 'modern' ? unknownVersion(message) : badRequest
      reply.json(failure(idOf(message), error), { status: 400 })
    },
    get: (visit) => (served === 'modern' ? Promise.reject(notAllowed) : endpoint.get(visit)),
    delete: (visit) => (served === 'modern' ? Promise.reject(notAllowed) : endpoint.delete(visit)),
    openLines: (visit, outlet) => limitLines(endpoint.openLines(visit, outlet), outlet, served),
    get isBusy() {
      return endpoint.isBusy
    },
  }
}

function limitLines(connection: LineConnection, outlet: Outlet, served: 'legacy' | 'modern'): LineConnection {
  return {
    ...connection,
    receive(line) {
      const message = asRequest(Buffer.from(line).toString())
      if (!isRequest(message) || isOf(served, message)) return connection.receive(line)
      outlet.send(failure(message.id, served === 'modern' ? unknownVersion(message) : unknownMethod(message.method)))
    },
  }
}

function asRequest(text: string): RpcMessage {
  return JSON.parse(text) as RpcMessage
}

function isOf(era: 'legacy' | 'modern', message: RpcMessage): boolean {
  return eraOfBody(message) === era
}

function idOf(message: RpcMessage): string | number | null {
  return isRequest(message) ? message.id : null
}

const notAllowed = new RpcError(-32000, 'Method not allowed.', { status: 405 })

/** The answer of the SDK's legacy servers. */
const badRequest = {
  code: -32000,
  message: `Bad Request: Unsupported protocol version (supported versions: ${legacyVersions.toReversed().join(', ')})`,
}

function unknownMethod(method: string) {
  return { code: errorCode.methodNotFound, message: `Method not found: ${method}` }
}

/** The answer of the SDK's servers without legacy support. */
function unknownVersion(message: RpcMessage) {
  const requested = 'method' in message ? message.params?.['protocolVersion'] : undefined
  return {
    code: errorCode.unsupportedVersion,
    message: 'Unsupported protocol version',
    data: { supported: [modernVersion], ...(typeof requested === 'string' && { requested }) },
  }
}
