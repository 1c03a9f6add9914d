import { expect, test } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { collectorOf, secretsOf } from './collector.ts'

function collectorWith(env: Readonly<Record<string, string>>) {
  return collectorOf(loadConfig({ env: { SIGNALBOX_HOME: '/nowhere', ...env } }).config)
}

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/base/' }

test('the path of traces is added to the endpoint, and not to the endpoint of traces', () => {
  expect(collectorWith({})).toBeUndefined()
  expect(collectorWith(endpoint)).toEqual({
    url: 'https://collector.example/base/v1/traces',
    headers: {},
    serviceName: 'signalbox',
  })
  const traces = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://other.example/in' }
  expect(collectorWith({ ...endpoint, ...traces })).toMatchObject({ url: 'http://other.example/in' })
  expect(collectorWith({ ...endpoint, OTEL_SDK_DISABLED: 'true' })).toBeUndefined()
})

test('headers are decoded, and those for traces win', () => {
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%3D, x-team = blue ,' }
  const more = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=red' }
  expect(collectorWith({ ...endpoint, ...headers, ...more })?.headers).toEqual({
    authorization: 'Bearer a=',
    'x-team': 'red',
  })
})

test.each(['hunter2', 'a b=hunter2', 'key=%zz', 'key=hunter2%0d%0aHost: x'])(
  'refuses the header %s without showing it',
  (text) => {
    const wrong = () => collectorWith({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: `x=y,${text}` })
    expect(wrong).toThrow('OTEL_EXPORTER_OTLP_HEADERS: part 2 is not a header.')
    expect(wrong).not.toThrow('hunter2')
  },
)

test('keys and passwords are secrets, and ordinary words are not', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:pass%40word@collector.example',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abcdef,x-team=production,x-other=0123456789abcdef',
  }
  expect(secretsOf(collectorWith(env)!)).toEqual(['Bearer abcdef', '0123456789abcdef', 'abcdef', 'pass@word'])
})
