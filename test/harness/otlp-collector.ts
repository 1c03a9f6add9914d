/** A stand-in for an OpenTelemetry collector: takes OTLP over HTTP, decodes it and checks it. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

/** The JSON encoding of OTLP: ids in hexadecimal, 64-bit numbers as texts. */
const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.strictObject({ intValue: z.union([z.int(), z.string()]) }).transform(({ intValue }) => Number(intValue)),
  z.strictObject({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.strictObject({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
  z
    .strictObject({ arrayValue: z.strictObject({ values: z.array(z.strictObject({ stringValue: z.string() })) }) })
    .transform(({ arrayValue }) => arrayValue.values.map(({ stringValue }) => stringValue)),
])
const attributes = z
  .array(z.strictObject({ key: z.string(), value: anyValue }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])))
const nanoseconds = z
  .union([z.string(), z.number()])
  .transform((value) => new Date(Number(BigInt(value) / 1_000_000n)).toISOString())
const hex = (digits: number) => z.string().regex(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`))

const spanSchema = z.object({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes,
  status: z.object({ code: z.int() }),
})

const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(spanSchema) })),
    }),
  ),
})

export type CollectedSpan = z.output<typeof spanSchema> & { readonly resource: Readonly<Record<string, unknown>> }

export interface Collector extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** In the order in which they arrived. A span that came twice is here twice. */
  readonly spans: readonly CollectedSpan[]
  readonly requests: readonly IncomingMessage[]
  /** Everything that arrived, as it was sent. */
  readonly bodies: readonly string[]
  /** Requests that could not be decoded. */
  readonly faults: readonly unknown[]
  /** Answers in place of 200, until it is set to undefined. Spans that are not answered with 200 do not count. */
  answer: ((response: ServerResponse) => void) | undefined
}

export async function startCollector({ port = 0 } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const requests: IncomingMessage[] = []
  const bodies: string[] = []
  const faults: unknown[] = []

  function take(body: string): void {
    for (const { resource, scopeSpans } of requestSchema.parse(JSON.parse(body)).resourceSpans) {
      for (const each of scopeSpans)
        spans.push(...each.spans.map((span) => ({ ...span, resource: resource.attributes })))
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = Buffer.concat(await request.toArray())
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    requests.push(request)
    bodies.push(body)
    if (collector.answer) return collector.answer(response)
    try {
      take(body)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    } catch (error) {
      faults.push(error)
      response.writeHead(400).end()
    }
  }

  const server = createServer((request, response) => {
    // A request that its sender cut is not a fault of the collector.
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const collector: Collector = {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    spans,
    requests,
    bodies,
    faults,
    answer: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
  return collector
}
