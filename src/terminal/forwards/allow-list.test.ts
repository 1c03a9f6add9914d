import { expect, test } from 'vitest'
import { bare, isListed } from './allow-list.ts'

test('an entry matches its host on the usual ports, an entry with a port only there, and a star matches subdomains', () => {
  const allow = ['api.example.com', '*.npmjs.org', 'db.example.com:5432', '[::1]:8080']
  const listed = (host: string, port: number) => isListed(allow, bare(host), port)
  expect(listed('api.example.com', 443)).toBe(true)
  expect(listed('API.example.com.', 80)).toBe(true)
  expect(listed('api.example.com', 22)).toBe(false)
  expect(listed('evil-api.example.com', 443)).toBe(false)
  expect(listed('api.example.com.evil.org', 443)).toBe(false)
  expect(listed('registry.npmjs.org', 443)).toBe(true)
  expect(listed('npmjs.org', 443)).toBe(false)
  expect(listed('evilnpmjs.org', 443)).toBe(false)
  expect(listed('db.example.com', 5432)).toBe(true)
  expect(listed('db.example.com', 443)).toBe(false)
  expect(listed('[::1]', 8080)).toBe(true)
  expect(listed('localhost', 8080)).toBe(true)
  expect(listed('127.0.0.1', 8080)).toBe(true)
  expect(listed('127.0.0.1', 443)).toBe(false)
})
