/** The addresses of resources: their limit, and the error for an unknown one. */
import { z } from 'zod'
import { errorCode, RpcError } from './wire.ts'

/** Longer addresses are refused, because addresses are stored, recorded and sent on. */
const maxUriBytes = 4096
export const uriText = z
  .string()
  .refine((uri) => Buffer.byteLength(uri) <= maxUriBytes, `A URI may have ${maxUriBytes} bytes at most.`)

export function resourceNotFound(uri: string): RpcError {
  return new RpcError(errorCode.invalidParams, `Resource not found: ${uri.slice(0, 200)}`, { data: { uri } })
}
