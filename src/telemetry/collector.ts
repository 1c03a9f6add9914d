/** The collector that the settings name, and the headers that it wants. */
import { HubError } from '../base/hub-error.ts'
import { secretName } from '../base/redact-names.ts'
import type { Config } from '../config/config.ts'

export interface Collector {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** `undefined`: no collector is set. */
export function collectorOf(config: Config): Collector | undefined {
  const { otlpEndpoint, otlpTracesEndpoint, otlpHeaders, otlpTracesHeaders, otelServiceName, otelSdkDisabled } = config
  const url =
    otlpTracesEndpoint ?? (otlpEndpoint === undefined ? undefined : `${otlpEndpoint.replace(/\/$/, '')}/v1/traces`)
  if (url === undefined || otelSdkDisabled) return undefined
  const headers = {
    ...headersIn(otlpHeaders, 'OTEL_EXPORTER_OTLP_HEADERS'),
    ...headersIn(otlpTracesHeaders, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'),
  }
  return { url, headers, serviceName: otelServiceName }
}

/** Values are percent-encoded, as in W3C Baggage. Errors do not show them, because they may be secrets. */
function headersIn(text: string | undefined, variable: string): Readonly<Record<string, string>> {
  const parts = (text ?? '').split(',').filter((part) => part.trim() !== '')
  return Object.fromEntries(
    parts.map((part, index) => {
      const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(part) ?? []
      const decoded = value === undefined ? undefined : decode(value.trim())
      if (name === undefined || decoded === undefined || !/^[\t\x20-\x7e]*$/.test(decoded)) {
        throw new HubError(
          'invalid',
          `${variable}: part ${index + 1} is not a header. Write name=value, with percent-encoding.`,
        )
      }
      return [name.toLowerCase(), decoded]
    }),
  )
}

function decode(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

/**
 * The values that must not appear in logs and events. A short value of a header with an ordinary name, such as the name
 * of a tenant, does not count as a secret: hiding it would hide the same word everywhere.
 */
export function secretsOf({ url, headers }: Collector): readonly string[] {
  const { password, searchParams } = new URL(url)
  const isSecret = ([name, value]: readonly [string, string]) =>
    secretName(name) !== undefined || value.length >= shortestKey
  const values = [...Object.entries(headers), ...searchParams].filter(isSecret).map(([, value]) => value)
  // The scheme before a token, as in "Bearer …", may be missing where the token appears.
  const tokens = values.flatMap((value) => value.split(' ').slice(1))
  return [...values, ...tokens, decode(password) ?? password].filter(Boolean)
}

const shortestKey = 16
