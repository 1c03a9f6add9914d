import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actionPolicyName, methodPolicyName, mountActions, toolPolicyName } from '../api/policy-names.ts'
import { exposeNames, policyAliases } from './names.ts'

test('a tool name consists of its mount and its own name', () => {
  expect([...exposeNames('files', ['look', 'Write-All', 'get.info'], { hasPrefix: true })]).toEqual([
    ['look', 'files_look'],
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
  expect(policyAliases({ mount: 'a', original: 'look', name: 'a_look', mayBeBare: false })).toEqual([])
})

test('a tool named like an action of its mount has another name, which a rule for the action may forbid', () => {
  const names = exposeNames('a', ['read', 'Sampling', 'elicitation_tool'], { hasPrefix: true })
  expect([...names.values()]).toEqual(['a_read_tool', 'a_sampling_tool', 'a_elicitation_tool_tool'])
  const tool = { mount: 'a', original: 'read', name: 'a_read_tool', mayBeBare: false }
  expect(toolPolicyName('a', 'read')).toBe('a_read_tool')
  expect(policyAliases(tool)).toEqual(['a_read'])
})

test('tools, actions and methods of a mount never share a policy name', () => {
  const part = fc.oneof(
    fc.constantFrom('read', 'sampling', 'elicitation', 'read_tool', 'tasks/list', 'tasks/list_tool', 'x/', 'x'),
    fc.string({ minLength: 1 }),
  )
  fc.assert(
    fc.property(part, part, (one, other) => {
      const tool = toolPolicyName('m', one)
      if (one !== other) expect(toolPolicyName('m', other)).not.toBe(tool)
      for (const action of mountActions) expect(tool).not.toBe(actionPolicyName('m', action))
      expect(tool).not.toBe(methodPolicyName('m', other))
    }),
  )
})
