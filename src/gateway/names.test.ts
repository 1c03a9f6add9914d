import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exposeNames, policyAliases } from './names.ts'

test('a tool name consists of its mount and its own name', () => {
  expect([...exposeNames('files', ['read', 'Write-All', 'get.info'], { hasPrefix: true })]).toEqual([
    ['read', 'files_read'],
    ['Write-All', 'files_write_all'],
    ['get.info', 'files_get_info'],
  ])
})

test('each name that would collide gets its own hash', () => {
  const both = exposeNames('a', ['get-x', 'get_x'], { hasPrefix: true })
  expect(new Set(both.values()).size).toBe(2)
  for (const name of both.values()) expect(name).toMatch(/^a_get_x_[0-9a-f]{6}$/)
})

test('a name that is too long is cut and gets a hash', () => {
  const [name] = exposeNames('a', ['x'.repeat(60)], { hasPrefix: true }).values()
  expect(name).toMatch(/^a_x+_[0-9a-f]{6}$/)
  expect(name).toHaveLength(48)
})

test('for any upstream names, exposed names are valid for every client, distinct, and independent of the order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 80 }), { maxLength: 40 }), (originals) => {
      const names = exposeNames('mount', originals, { hasPrefix: true })
      expect(new Set(names.values()).size).toBe(originals.length)
      for (const name of names.values()) expect(name).toMatch(/^[a-z0-9_]{1,48}$/)
      const backwards = exposeNames('mount', originals.toReversed(), { hasPrefix: true })
      for (const [original, name] of names) expect(backwards.get(original)).toBe(name)
    }),
  )
})

test('a policy can forbid a tool by its current name, and by its name without the others', () => {
  const tool = { mount: 'a', original: 'get-x', name: 'a_get_x_3fe19c', mayBeBare: false }
  expect(policyAliases(tool)).toEqual(['a_get_x_3fe19c', 'a_get_x'])
  expect(policyAliases({ ...tool, mayBeBare: true })).toEqual(['a_get_x_3fe19c', 'a_get_x', 'get-x'])
  expect(policyAliases({ mount: 'a', original: 'read', name: 'a_read', mayBeBare: false })).toEqual([])
})
