import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, digestOf } from './call-digest.ts'

test('sorts names by RFC 8785 at every depth and keeps the order of lists', () => {
  // The example of RFC 8785, 3.2.3.
  const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
  const value = Object.fromEntries(names.map((name) => [name, name]))
  expect(Object.keys(JSON.parse(canonicalJson([{ z: value }]))[0].z)).toEqual([
    '1',
    '\r',
    '\u0080',
    '\u00f6',
    '\u20ac',
    '\ud83d\ude00',
    '\ufb33',
  ])
  expect(canonicalJson({ b: [2, 1, { d: null, c: 1e21 }], a: '\u2028"' })).toBe(
    '{"a":"\u2028\\"","b":[2,1,{"c":1e+21,"d":null}]}',
  )
})

test('the digest ignores the order of names and depends on everything else', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (one, other) => {
        const reversed = Object.fromEntries(Object.entries(one).toReversed())
        expect(digestOf({ tool: 't', arguments: reversed })).toBe(digestOf({ tool: 't', arguments: one }))
        expect(digestOf({ tool: 'u', arguments: one })).not.toBe(digestOf({ tool: 't', arguments: one }))
        const areSame = digestOf({ tool: 't', arguments: one }) === digestOf({ tool: 't', arguments: other })
        expect(areSame).toBe(
          canonicalJson(JSON.parse(JSON.stringify(one))) === canonicalJson(JSON.parse(JSON.stringify(other))),
        )
        expect(JSON.parse(canonicalJson(one))).toEqual(JSON.parse(JSON.stringify(one)))
      },
    ),
  )
})
