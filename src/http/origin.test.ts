import { describe, expect, test } from 'vitest'
import { isHostAllowed, isOriginAllowed } from './origin.ts'

const loopback = { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] }

describe('on loopback', () => {
  test.each(['localhost', 'localhost:7420', '127.0.0.1:7420', '[::1]:7420', 'LOCALHOST'])(
    'Host %s is allowed',
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
    'Origin %s is allowed',
    (origin) => {
      expect(isOriginAllowed(origin, 'localhost', loopback)).toBe(true)
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
    expect(isOriginAllowed(origin, 'localhost', loopback)).toBe(false)
  })
})

test('a configured name is allowed, and only that name', () => {
  const rules = { ...loopback, allowedHosts: ['box.example'], allowedOrigins: ['chrome-extension://abc'] }
  expect(isHostAllowed('box.example:443', rules)).toBe(true)
  expect(isOriginAllowed('https://box.example', 'localhost', rules)).toBe(true)
  expect(isOriginAllowed('chrome-extension://abc', 'localhost', rules)).toBe(true)
  expect(isHostAllowed('other.example', rules)).toBe(false)
  expect(isOriginAllowed('chrome-extension://abcd', 'localhost', rules)).toBe(false)
})

test('an allowed host with a port allows only that port, in upper or lower case', () => {
  const rules = { ...loopback, allowedHosts: ['Box.Example:8443'] }
  expect(isHostAllowed('box.example:8443', rules)).toBe(true)
  expect(isOriginAllowed('https://BOX.example:8443', 'localhost', rules)).toBe(true)
  expect(isHostAllowed('box.example:8444', rules)).toBe(false)
  expect(isHostAllowed('box.example', rules)).toBe(false)
})

describe('on all addresses', () => {
  const rules = { ...loopback, host: '0.0.0.0' }

  test('every IP address is allowed as Host, but not every name', () => {
    expect(isHostAllowed('192.168.1.5:7420', rules)).toBe(true)
    expect(isHostAllowed('[fd00::1]:7420', rules)).toBe(true)
    expect(isHostAllowed('evil.example', rules)).toBe(false)
  })

  test.each([
    ['http://192.168.1.5:7420', '192.168.1.5:7420'],
    ['https://192.168.1.5', '192.168.1.5'],
    ['http://[fd00::1]:7420', '[fd00::1]:7420'],
    ['http://[fd00::a]:7420', '[FD00::A]:7420'],
  ])('the page of %s may call the address it was loaded from', (origin, host) => {
    expect(isOriginAllowed(origin, host, rules)).toBe(true)
  })

  test.each([
    ['http://203.0.113.7', '192.168.1.5:7420'],
    ['http://192.168.1.5:8000', '192.168.1.5:7420'],
    ['http://[2001:db8::1]:7420', '[fd00::1]:7420'],
    ['http://203.0.113.7', undefined],
    ['http://evil.example', 'evil.example'],
  ])('the page of %s may not call %s', (origin, host) => {
    expect(isOriginAllowed(origin, host, rules)).toBe(false)
  })
})
