/** The reason why a request has no result. */
export type Fault =
  /** There was no HTTP response. The cause is the error of the transport. */
  | { readonly is: 'unreachable' }
  /** An HTTP status other than 200, with the JSON-RPC error from its body, if there is one. */
  | { readonly is: 'refused'; readonly status: number; readonly error?: RpcFault }
  /** A JSON-RPC error in a response with status 200. */
  | { readonly is: 'error'; readonly error: RpcFault }
  /** The response is not MCP, or it broke off. */
  | { readonly is: 'broken' }
  | { readonly is: 'timed-out' }
  /** The server asks for input, which this client cannot give. */
  | { readonly is: 'input-required' }

export interface RpcFault {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly fault: Fault

  constructor(fault: Fault, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.fault = fault
  }

  /** The code of the JSON-RPC error, if the server answered with one. */
  get code(): number | undefined {
    return 'error' in this.fault ? this.fault.error?.code : undefined
  }
}
