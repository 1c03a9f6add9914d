/** The results of a search and their order, on one small repository. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratch, openIndexes } from '../../../test/fixtures/repository-index.ts'
import type { SearchRequest } from './request.ts'

const scratch = createScratch()
const indexes = openIndexes(join(scratch.path, 'indexes'))
const many = Array.from({ length: 12 }, (_, n) => `export function openGate${n}() {\n${'  gate()\n'.repeat(8)}}\n`)
const source = {
  id: 'railway',
  root: scratch.repository({
    'src/signal-box.ts': [
      '/** Sets a signal to danger before a train enters the block. */',
      'export class SignalBox {',
      '  setSignal(name: string): void {',
      "    if (name === '') throw new Error('Which signal?')",
      '  }',
      '',
      '  async openHTTPServer2(): Promise<void> {}',
      '}',
      '',
    ].join('\n'),
    'src/signal-box.test.ts': "test('a signal box sets a signal to danger', () => new SignalBox().setSignal('a'))\n",
    'docs/signals.md': '# Signals\n\nA signal box sets a signal to danger.\n\n## History\n\nSemaphores came first.\n',
    'src/gates.ts': many.join('\n'),
    'src/crossing.ts': 'export function closeCrossing() {\n  return gate()\n}\n',
    'lib/dist/app.min.js': `var signal=1;${'function a(){return signal};'.repeat(400)}`,
    'src/windows.ts': 'first line\r\nconst second_line = 2\r\nthird\r\n',
    'src/broken.ts': 'export function unfinished( {{{ ]]\nconst stillFound = 1\n',
    'weird/na me-ü.py': 'class Größe:\n    def messen(self):\n        return "Länge"\n',
  }),
}

beforeAll(async () => expect(await indexes.refresh(source)).toMatchObject({ is: 'ready', skipped: 0 }))
afterAll(async () => {
  await indexes[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function find(query: string, more: Partial<SearchRequest> = {}): Promise<readonly string[]> {
  const hits = await indexes.search(source, { query, mode: 'lexical', limit: 10, ...more })
  return hits.map(({ path, start_line, symbol }) => `${path}:${start_line}${symbol === undefined ? '' : ` ${symbol}`}`)
}

test('answers a question with the code, before its tests and documents', async () => {
  const found = await find('where is a signal set to danger?')
  expect(found[0]).toBe('src/signal-box.ts:1 SignalBox')
  expect(found).toEqual(expect.arrayContaining(['docs/signals.md:1 Signals']))
})

test('puts tests and documents first when they are asked for', async () => {
  expect((await find('which test covers setting a signal to danger?'))[0]).toMatch(/^src\/signal-box\.test\.ts/)
  expect((await find('documentation of signals and their history'))[0]).toMatch(/^docs\/signals\.md/)
})

test('finds an identifier however it is written, and by its parts', async () => {
  for (const query of ['openHTTPServer2', 'open_http_server_2', 'OPEN-HTTP-SERVER', 'opening http servers']) {
    expect((await find(query))[0], query).toMatch(/^src\/signal-box\.ts/)
  }
  expect((await find('größe messen'))[0]).toMatch(/^weird\/na me-ü\.py/)
})

test('one file does not take all places, and a generated one comes last', async () => {
  const found = await find('gate', { limit: 4 })
  expect(found.some((each) => each.startsWith('src/crossing.ts'))).toBe(true)
  expect((await find('signal')).at(-1)).toMatch(/^lib\/dist\/app\.min\.js/)
})

test('a glob limits every mode', async () => {
  const path = 'docs/**'
  expect(await find('signal', { path })).toEqual(['docs/signals.md:1 Signals'])
  expect(await find('Signals', { mode: 'symbol', path })).toEqual(['docs/signals.md:1 Signals'])
  expect(await find('sign.l box', { mode: 'regex', path })).toEqual(['docs/signals.md:3 Signals'])
  expect(await find('signal', { path: '*.md' })).toHaveLength(1)
  expect(await find('signal', { path: 'src/{gates,crossing}.ts' })).toEqual([])
  await expect(find('signal', { path: 'src/{a' })).rejects.toThrow('has a "{" without its "}"')
})

test('a glob finds matches that rank far below the best ones of the whole repository', async () => {
  const functions = (count: number, line: string) =>
    Array.from({ length: count }, (_, n) => `export function f${n}() {\n${`  ${line}\n`.repeat(8)}}\n`).join('\n')
  const root = scratch.repository({
    'src/lamps.ts': functions(600, 'lamp(lantern)'),
    'src/deep/lantern.ts': functions(3, 'hang(wick)').replace('wick', 'lantern'),
    'src/others.ts': functions(700, 'other()'),
  })
  const lamps = { id: 'lamps', root }
  await indexes.refresh(lamps)
  const request = { query: 'lamp lantern', mode: 'lexical', limit: 10, path: 'src/deep/**' } as const
  expect((await indexes.search(lamps, request)).map(({ path }) => path)).toContain('src/deep/lantern.ts')
})

test('finds definitions by name, with their parents', async () => {
  const symbol = { mode: 'symbol' } as const
  expect((await find('setSignal', symbol))[0]).toBe('src/signal-box.ts:3 SignalBox.setSignal')
  expect((await find('SignalBox.setSignal', symbol))[0]).toBe('src/signal-box.ts:3 SignalBox.setSignal')
  expect((await find('signalbox', symbol))[0]).toBe('src/signal-box.ts:2 SignalBox')
  expect((await find('closeCr', symbol))[0]).toBe('src/crossing.ts:1 closeCrossing')
  expect((await find('oHS', symbol))[0]).toBe('src/signal-box.ts:7 SignalBox.openHTTPServer2')
  expect((await find('crossing', symbol))[0]).toBe('src/crossing.ts:1 closeCrossing')
  expect(await find('Crossing.setSignal', symbol)).toEqual([])
  expect(await find('%', symbol)).toEqual([])
  expect(await find('openGate', { ...symbol, limit: 3 })).toHaveLength(3)
})

test('finds lines by a regular expression', async () => {
  const regex = { mode: 'regex' } as const
  expect(await find('^const second_\\w+ = \\d$', regex)).toEqual(['src/windows.ts:2 second_line'])
  expect(await find('(?i)WHICH SIGNAL', regex)).toEqual(['src/signal-box.ts:4 SignalBox.setSignal'])
  expect(await find('first line\\r\\nconst', regex)).toEqual(['src/windows.ts:1'])
  expect(await find('closeCrossing|Semaphores', regex)).toEqual([
    'src/crossing.ts:1 closeCrossing',
    'docs/signals.md:7 Signals > History',
  ])
  expect(await find('gate\\(\\)', { ...regex, limit: 4 })).toContain('src/crossing.ts:2 closeCrossing')
  expect(await find('no such text', regex)).toEqual([])
  await expect(find('(', regex)).rejects.toThrow('is not a regular expression')
  await expect(find('(?=x)', regex)).rejects.toThrow('is not a regular expression')
})

test('a query without words finds nothing, and SQLite syntax in a query counts as plain words', async () => {
  for (const query of ['', '   ', '"', '***', '🦊']) expect(await find(query), query).toEqual([])
  expect((await find('signal" OR path:x NEAR('))[0]).toMatch(/signal/)
})

test('a file that cannot be parsed is split by lines', async () => {
  expect((await find('stillFound'))[0]).toMatch(/^src\/broken\.ts:1/)
})
