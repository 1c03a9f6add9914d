/** Applies the overrides of a binding to its connector: maps are merged by key, everything else is replaced. */
import type { Connector, ConnectorOptions, Overrides } from '../api/connector.ts'
import { defined } from '../base/defined.ts'

export function merge(connector: Connector, overrides: Overrides): Connector {
  const { endpoint, headers, options, ...fields } = overrides
  return {
    ...connector,
    ...defined(fields),
    ...(endpoint !== undefined && { base_url: endpoint }),
    ...(headers && { headers: mergeHeaders(connector.headers ?? {}, headers) }),
    ...(options && { options: mergeOptions(connector.options, options) }),
  }
}

/** Names of headers ignore case. Without this, "authorization" and "Authorization" would be sent as two headers. */
function mergeHeaders(
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): Record<string, string> {
  const replaced = new Set(Object.keys(theirs).map((name) => name.toLowerCase()))
  const kept = Object.entries(ours).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...Object.fromEntries(kept), ...theirs }
}

function mergeOptions(ours: ConnectorOptions, theirs: ConnectorOptions): ConnectorOptions {
  const env = ours.env || theirs.env ? { ...ours.env, ...theirs.env } : undefined
  return { ...ours, ...theirs, ...(env && { env }) }
}
