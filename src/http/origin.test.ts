import { describe, expect, test } from 'vitest'
import { isHostAllowed, isOriginAllowed } from './origin.ts'

const loopback = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] }

describe('on loopback', () => {
  test.each(['localhost', 'localhost:7420', '127.0.0.1:7420', '[::1]:7420', 'LOCALHOST'])(
    'Host %s may come in',
    (host) => {
      expect(isHostAllowed(host, loopback)).toBe(true)
    },
  )

  test.each([
    undefined,
    '',
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'a b',
    'localhost:7420:1',
  ])('Host %s is refused', (host) => {
    expect(isHostAllowed(host, loopback)).toBe(false)
  })

  test.each([undefined, 'http://localhost:6274', 'https://127.0.0.1', 'http://[::1]:80'])(
    'Origin %s may come in',
    (origin) => {
      expect(isOriginAllowed(origin, loopback)).toBe(true)
    },
  )

  test.each([
    'null',
    'http://evil.example',
    'http://localhost.evil.example',
    'file:///etc/passwd',
    'chrome-extension://x',
    'nonsense',
  ])('Origin %s is refused', (origin) => {
    expect(isOriginAllowed(origin, loopback)).toBe(false)
  })
})

test('a name that was allowed may come in, and only that name', () => {
  const rules = { ...loopback, allowedHosts: ['box.example'], allowedOrigins: ['chrome-extension://abc'] }
  expect(isHostAllowed('box.example:443', rules)).toBe(true)
  expect(isOriginAllowed('https://box.example', rules)).toBe(true)
  expect(isOriginAllowed('chrome-extension://abc', rules)).toBe(true)
  expect(isHostAllowed('other.example', rules)).toBe(false)
  expect(isOriginAllowed('chrome-extension://abcd', rules)).toBe(false)
})

test('an allowed host with a port is that port, whatever the case of its letters', () => {
  const rules = { ...loopback, allowedHosts: ['Box.Example:8443'] }
  expect(isHostAllowed('box.example:8443', rules)).toBe(true)
  expect(isOriginAllowed('https://BOX.example:8443', rules)).toBe(true)
  expect(isHostAllowed('box.example:8444', rules)).toBe(false)
  expect(isHostAllowed('box.example', rules)).toBe(false)
})

test('whoever listens on all addresses is reached by any address, but still not by any name', () => {
  const rules = { ...loopback, host: '0.0.0.0' }
  expect(isHostAllowed('192.168.1.5:7420', rules)).toBe(true)
  expect(isHostAllowed('[fd00::1]:7420', rules)).toBe(true)
  expect(isHostAllowed('evil.example', rules)).toBe(false)
})
