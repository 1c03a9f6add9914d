import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor, redactedText } from './redact.ts'
import type { Redactor } from './redact.ts'

function redactorWith(...secrets: string[]): Redactor {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.addSecret(secret)
  return redactor
}

describe('redaction by name', () => {
  test.each([
    'key',
    'apiKey',
    'API_KEY',
    'x-api-key',
    'apikey',
    'token',
    'accessToken',
    'GITHUB_TOKEN',
    'GITHUB_TOKEN_2',
    'clientSecret',
    'password',
    'passwd',
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'set-cookie',
    'credential',
    'credentials',
    'secrets',
    'SSHKeys',
    'APIkey',
  ])('hides a value under %s', (name) => {
    expect(createRedactor().value({ [name]: 'abc', other: 'abc' })).toEqual({ [name]: redactedText, other: 'abc' })
  })

  test.each([
    'progressToken',
    'progress_token',
    'cursor',
    'next_cursor',
    'nextCursor',
    'monkey',
    'tokenizer',
    'keyboard',
  ])('shows a value under %s', (name) => {
    expect(createRedactor().value({ [name]: 'abc' })).toEqual({ [name]: 'abc' })
  })

  test('hides a whole object or list under a secret name', () => {
    expect(createRedactor().value({ credentials: { user: 'ann', pin: 'x' }, tokens: ['a', 'b'] })).toEqual({
      credentials: redactedText,
      tokens: redactedText,
    })
  })

  test('shows a count under a plural and an empty value', () => {
    const innocent = { max_tokens: 4096, usage: { input_tokens: 12 }, token: null, password: '', has_key: true }
    expect(createRedactor().value(innocent)).toEqual(innocent)
  })

  test('finds names in lists of pairs and in command arguments too', () => {
    const redactor = createRedactor()
    const headers = [
      ['authorization', 'Bearer abc'],
      ['accept', 'text/html'],
    ]
    expect(redactor.value(headers)).toEqual([
      ['authorization', redactedText],
      ['accept', 'text/html'],
    ])
    expect(redactor.value({ name: 'API_KEY', value: 'abc' })).toEqual({ name: 'API_KEY', value: redactedText })
    expect(redactor.value({ key: 'API_KEY', value: 'abc' })).toEqual({ key: redactedText, value: redactedText })
    expect(redactor.value(['run', '--api-key', 'abc', '--verbose'])).toEqual([
      'run',
      '--api-key',
      redactedText,
      '--verbose',
    ])
    expect(redactor.value(['--token', '--verbose', '--password=abc'])).toEqual([
      '--token',
      '--verbose',
      `--password=${redactedText}`,
    ])
  })
})

describe('redaction in a text', () => {
  test.each([
    ['Authorization: Bearer xyz', `Authorization: ${redactedText}`],
    ['> x-api-key: a b c\nHost: here', `> x-api-key: ${redactedText}\nHost: here`],
    ['curl -H "Authorization: Bearer xyz" http://here', `curl -H "Authorization: ${redactedText}" http://here`],
    ['Cookie: a=1; b=2', `Cookie: ${redactedText}`],
    ['authorization: Digest username="u", response="abc"', `authorization: ${redactedText}`],
    ['login failed for password=hunter2, try again', `login failed for password=${redactedText}, try again`],
    ['API_KEY="a b c" npm start', `API_KEY="${redactedText}" npm start`],
    ['run --token abc --verbose', `run --token ${redactedText} --verbose`],
    ['https://user:pw@host/path', `https://${redactedText}@host/path`],
    ['https://ghp_abc@host/path', `https://${redactedText}@host/path`],
    ['https://host/?a=1&access_token=abc&b=2', `https://host/?a=1&access_token=${redactedText}&b=2`],
    ['https://host/#token=abc', `https://host/#token=${redactedText}`],
    ['/?next=https%3A%2F%2Fu%3Apw%40host%2F', `/?next=https%3A%2F%2F${redactedText}%40host%2F`],
    ['/?next=%2F%3Ftoken%3Dabc', `/?next=%2F%3Ftoken%3D${redactedText}`],
    ['a sb_human_AbC-1_2 b', `a ${redactedText} b`],
    ['(sb_agent_x)', `(${redactedText})`],
    ['got Bearer abc.def123 back', `got Bearer ${redactedText} back`],
    [
      "{ headers: { authorization: 'Bearer x', cookie: [ 'a=b' ] }, ok: 1 }",
      `{ headers: { authorization: '${redactedText}', cookie: ${redactedText} }, ok: 1 }`,
    ],
    [
      'error: {"password":"a\\"b","user":"ann"} (truncated',
      `error: {"password":"${redactedText}","user":"ann"} (truncated`,
    ],
    ['x {\\"token\\":\\"a\\\\\\"b\\",\\"n\\":1} y', `x {\\"token\\":\\"${redactedText}\\",\\"n\\":1} y`],
    ['"secret": ["a]", "b"], "n": 1 …', `"secret": ${redactedText}, "n": 1 …`],
  ])('hides the secret in: %s', (text, expected) => {
    const redactor = createRedactor()
    expect(redactor.text(text)).toBe(expected)
    expect(redactor.text(expected)).toBe(expected)
  })

  test.each([
    'the keyboard and the monkey: two words',
    'bearer authentication is required',
    'max_tokens: 4096, password: null',
    'if (token == other) return',
    'std::token::next()',
    'https://www.npmjs.com/package/@scope/name',
    'mail ann@example.org',
    '{"a": 1, "b": [true, "no token here"]}',
  ])('leaves a text without secrets as it is: %s', (text) => {
    expect(createRedactor().text(text)).toBe(text)
  })

  test('searches JSON inside strings at any depth, and leaves clean JSON as it is', () => {
    const redactor = createRedactor()
    const nested = JSON.stringify({ body: JSON.stringify({ inner: JSON.stringify({ password: 'x"y', n: 1 }) }) })
    const result = String(redactor.value({ nested }) && redactor.text(nested))
    expect(JSON.parse(JSON.parse(JSON.parse(result).body).inner)).toEqual({ password: redactedText, n: 1 })
    const clean = '{ "spaced" :  1,\n "keep": "the key" }'
    expect(redactor.text(clean)).toBe(clean)
    expect(redactor.text('{"pass\\u0077ord":"abc"}')).toBe(`{"password":"${redactedText}"}`)
  })

  test('hides both values if an object has a secret name twice', () => {
    expect(createRedactor().text('{"token":"first","token":null}')).not.toContain('first')
  })
})

describe('redaction by value', () => {
  test('ignores short values and the replacement text', () => {
    const redactor = redactorWith('abcde', 'redacted')
    expect(redactor.text('abcde redacted')).toBe('abcde redacted')
  })

  test('hides the password of a connection URL wherever it appears alone', () => {
    const redactor = redactorWith('postgres://ann:p%40ss-word@db/hub')
    expect(redactor.text('wrong: p@ss-word and p%40ss-word')).toBe(`wrong: ${redactedText} and ${redactedText}`)
  })

  test('finds each line of a key with several lines', () => {
    const lines = ['-----BEGIN KEY-----', 'AbCdEfGhIjKlMnOpQrSt', 'UvWxYz0123456789abcd', '-----END KEY-----']
    const redactor = redactorWith(lines.join('\n'))
    expect(redactor.text(`stderr: ${lines[2]}`)).toBe(`stderr: ${redactedText}`)
    expect(redactor.text(lines.join('\\n'))).toBe(redactedText)
  })

  test('a number can be a secret', () => {
    expect(redactorWith('73519284').value({ pin: 73519284, other: 7351928 })).toEqual({
      pin: redactedText,
      other: 7351928,
    })
  })

  test('finds secrets in the names of fields', () => {
    expect(redactorWith('hunter2-hunter2').value({ 'x-hunter2-hunter2': 1 })).toEqual({ [`x-${redactedText}`]: 1 })
  })

  test('keeps two fields whose names are hidden entirely', () => {
    const given = { sb_agent_a: 'first', sb_agent_b: 'second', [redactedText]: 'third' }
    expect(Object.values(createRedactor().value(given) as object)).toEqual(['first', 'second', 'third'])
  })

  test('finds a token of the hub inside basic auth', () => {
    const header = Buffer.from('ann:sb_human_abcdefghijkl').toString('base64')
    expect(createRedactor().text(`sent ${header} on`)).toBe(`sent ${redactedText} on`)
  })
})

describe('redaction of odd input', () => {
  test('errors keep their message, stack and cause, without secrets', () => {
    const cause = new Error('refused for hunter2-hunter2')
    const error = Object.assign(new Error('cannot log in with hunter2-hunter2', { cause }), {
      password: 'abc',
      code: 'E1',
    })
    const copy = redactorWith('hunter2-hunter2').value(error)
    expect(copy).toMatchObject({
      name: 'Error',
      message: `cannot log in with ${redactedText}`,
      password: redactedText,
      code: 'E1',
      cause: { message: `refused for ${redactedText}` },
    })
    expect(JSON.stringify(copy)).not.toContain('hunter2')
    expect(JSON.stringify(copy)).toContain('redact.test.ts')
    const several = new AggregateError([new Error('hunter2-hunter2'), new Error('other')], 'both failed')
    expect(redactorWith('hunter2-hunter2').value(several)).toMatchObject({
      errors: [{ message: redactedText }, { message: 'other' }],
    })
  })

  test('cycles, classes, maps, sets, dates, bytes and thrown getters become plain data', () => {
    const cyclic: Record<string, unknown> = { name: 'a' }
    cyclic['self'] = cyclic
    const odd = {
      cyclic,
      map: new Map<string, unknown>([
        ['token', 'abc'],
        ['n', 1],
      ]),
      set: new Set([1, 'two']),
      date: new Date(0),
      bytes: Buffer.from('hunter2-hunter2'),
      big: 10n,
      url: new URL('https://u:p@host/'),
      get broken(): never {
        throw new Error('no')
      },
    }
    expect(redactorWith('hunter2-hunter2').value([odd, { nothing: () => 1 }])).toEqual([
      '[unreadable]',
      { nothing: undefined },
    ])
    const { broken: _, ...rest } = Object.getOwnPropertyDescriptors(odd)
    expect(createRedactor().value(Object.defineProperties({}, rest))).toEqual({
      cyclic: { name: 'a', self: '[circular]' },
      map: { token: redactedText, n: 1 },
      set: [1, 'two'],
      date: '1970-01-01T00:00:00.000Z',
      bytes: '[15 bytes]',
      big: '10',
      url: `https://${redactedText}@host/`,
    })
  })

  test('handles extreme depth in objects and in JSON text', () => {
    let deep: unknown = 'hunter2-hunter2'
    for (let level = 0; level < 100_000; level++) deep = [deep]
    const redactor = redactorWith('hunter2-hunter2')
    expect(JSON.stringify(redactor.value(deep))).toContain('[too deep]')
    const text = `${'['.repeat(100_000)}"hunter2-hunter2"${']'.repeat(100_000)}`
    expect(redactor.text(text)).not.toContain('hunter2')
  })

  test.each([
    'key'.repeat(300_000),
    'token='.repeat(150_000),
    `token="${'\\"'.repeat(400_000)}`,
    '\\'.repeat(1_000_000),
    '%25'.repeat(300_000),
    `token:${'['.repeat(900_000)}`,
    '://'.repeat(300_000),
    '--token '.repeat(100_000),
    Buffer.from('sb_human_abcdefgh'.repeat(40_000)).toString('base64'),
    `${'a'.repeat(900_000)}token=x`,
    'hunter2-'.repeat(100_000),
    '"cookie: a'.repeat(100_000),
  ])('finishes a megabyte of hostile text, number %#', (text) => {
    expect(typeof redactorWith('hunter2-hunter2').text(text)).toBe('string')
  })

  test('keeps a field called __proto__', () => {
    const parsed: unknown = JSON.parse('{"__proto__":{"token":"abc"},"a":1}')
    const copy = createRedactor().value(parsed)
    expect(JSON.stringify(copy)).toBe(`{"__proto__":{"token":"${redactedText}"},"a":1}`)
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })
})

describe('any secret', () => {
  /** Long and mixed enough not to match by accident, with all characters that encodings change. */
  const secret = fc
    .string({
      unit: fc.constantFrom(...Array.from('abcXYZ019-_.~!*\'()%+/=&?#:@ "\\éß€😀<>\t\n')),
      minLength: 10,
      maxLength: 40,
    })
    .filter((text) => new Set(text).size > 6 && text.trim().length > 9)

  const places: Readonly<Record<string, (secret: string) => unknown>> = {
    'under an innocent name': (s) => ({ note: s, list: [s, { deep: `before ${s} after` }] }),
    'as the name of a field': (s) => ({ [s]: 1 }),
    'in a query': (s) => ({ url: `https://host/path?q=${encodeURIComponent(s)}&x=1` }),
    'in a form': (s) => ({ body: new URLSearchParams({ q: s }).toString() }),
    'in a URL encoded twice': (s) => ({ url: `/?next=${encodeURIComponent(`/?q=${encodeURIComponent(s)}`)}` }),
    'as the password of a URL': (s) => ({ url: `https://user:${encodeURIComponent(s)}@host/` }),
    'in basic auth': (s) => ({ sent: `Basic ${Buffer.from(`user:${s}`).toString('base64')}` }),
    'in base64 of unknown length before it': (s) =>
      ['', 'a', 'ab', 'abc'].map((p) => Buffer.from(p + s).toString('base64')),
    'in base64url': (s) => ({ part: Buffer.from(`{"n":"${s}"}`).toString('base64url') }),
    'in JSON in a string': (s) => ({ text: JSON.stringify({ note: s }) }),
    'in JSON in JSON in a string': (s) => ({ text: JSON.stringify({ body: JSON.stringify({ note: `x${s}y` }) }) }),
    'in JSON that was cut off': (s) => ({ text: JSON.stringify({ note: s, more: 1 }).slice(0, -3) }),
    'in the stderr of an upstream': (s) => `[2026-01-01] ERROR request failed: ${s}\n    at main.js:1:2\n`,
    'in an error': (s) => new Error(`bad answer: ${s}`, { cause: { sent: s } }),
    'under a secret name': (s) => ({ apiKey: s, nested: { 'x-token': [s] } }),
  }

  test.each(Object.entries(places))('is hidden %s', (_, place) => {
    fc.assert(
      fc.property(secret, (s) => {
        const shown = JSON.stringify(redactorWith(s).value(place(s)))
        for (const spelling of spellings(s)) expect(shown).not.toContain(spelling)
      }),
      { numRuns: 300 },
    )
  })

  /** How an overlooked secret would appear in the result. */
  function spellings(s: string): string[] {
    const inJson = JSON.stringify(s).slice(1, -1)
    const twice = JSON.stringify(inJson).slice(1, -1)
    const inUrl = encodeURIComponent(s)
    return [
      s,
      inJson,
      twice,
      inUrl,
      encodeURIComponent(inUrl),
      Buffer.from(s)
        .toString('base64')
        .replace(/.{0,3}=*$/, ''),
    ]
  }

  test('leaves data without secrets as it is', () => {
    const innocentName = fc.string({ unit: fc.constantFrom(...Array.from('abcdefghij')), maxLength: 8 })
    const innocentText = fc.string({
      unit: fc.constantFrom(...Array.from('abcdefghij 0123456789.,;/%+\\"\'<>{}[]é😀\n')),
      maxLength: 60,
    })
    const data = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        innocentText,
        fc.double({ noNaN: true }),
        fc.boolean(),
        fc.constant(null),
        tie('list'),
        tie('object'),
        tie('json'),
      ),
      list: fc.array(tie('value'), { maxLength: 5 }),
      object: fc.dictionary(fc.oneof(innocentName, fc.constant('__proto__')), tie('value'), {
        maxKeys: 5,
        noNullPrototype: true,
      }),
      json: tie('value').map((value) => JSON.stringify(value)),
    })).value
    fc.assert(
      fc.property(data, secret, (value, s) => {
        fc.pre(!JSON.stringify(value).includes(s))
        const redactor = redactorWith(s, 'sk-another-secret-value')
        expect(redactor.value(value)).toEqual(value)
      }),
      { numRuns: 500 },
    )
  })
})

describe('data that is too large to store', () => {
  const secret = 'hunter2-is-the-secret'
  const redactor = createRedactor()
  redactor.addSecret(secret)
  const sizeOf = (value: unknown) => JSON.stringify(redactor.value(value)).length

  test('is cut, and the copy says how long the original was', () => {
    expect(redactor.value({ text: 'x'.repeat(1_000_000), list: Array.from({ length: 5_000 }, () => 1) })).toEqual({
      text: expect.stringMatching(/^x{8192}… \[cut: 1000000 characters\]$/),
      list: expect.arrayContaining([expect.stringMatching(/^\[cut: \d+ more\]$/)]),
    })
  })

  test('stays below the size limit in any shape', () => {
    let nested = 'a%25 key=null %40 '.repeat(10_000)
    for (let level = 0; level < 5; level++) nested = JSON.stringify([nested])
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name ${index}`, 'value']))
    const longNames = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${'n'.repeat(50_000)}${index}`, 1]),
    )
    for (const value of [
      nested,
      many,
      longNames,
      [many, many],
      Array.from({ length: 500 }, () => 'x'.repeat(10_000)),
    ]) {
      expect(sizeOf(value)).toBeLessThan(200_000)
    }
  })

  test('shows no part of a secret at the cut', () => {
    fc.assert(
      fc.property(fc.integer({ min: 8_100, max: 12_400 }), fc.integer({ min: 0, max: 300 }), (offset, earlier) => {
        const before = `${secret} `.repeat(earlier)
        const text = `${before}${'x'.repeat(Math.max(0, offset - before.length))}${secret}${'y'.repeat(20_000)}`
        expect(JSON.stringify(redactor.value({ text }))).not.toContain('hunter2')
      }),
    )
  })
})
