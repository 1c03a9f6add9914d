/** Holds the map of docs/architecture.md: who may import whom, and where things live. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { globSync } from 'node:fs'
import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')

/** Lower numbers know nothing of higher ones; folders of one number know nothing of one another. */
const layers: readonly (readonly string[])[] = [
  ['base'],
  ['api'],
  ['config'],
  ['store', 'events', 'policy', 'mcp', 'terminal'],
  [
    'tokens',
    'connections',
    'status',
    'audit',
    'templates',
    'sessions',
    'activity',
    'terminal-tools',
    'connectors',
    'policies',
    'approvals',
    'gateway',
  ],
  ['http', 'socket', 'cli'],
  ['hub-sessions.ts', 'hub-gateway.ts'],
  ['hub.ts'],
  ['index.ts', 'main.ts'],
]
/** Plain words, each file for itself. Every other folder is entered by its front door. */
const openFolders = new Set(['base', 'api'])

/** Heavy packages, and the one place that may import each. */
const importers: Readonly<Record<string, RegExp>> = {
  '@modelcontextprotocol/server': /^src\/mcp\/sdk\.ts$/,
  '@modelcontextprotocol/client': /^src\/(cli\/hub-client|mcp\/upstream\/oauth-login)\.ts$/,
  undici: /^src\/mcp\/upstream\/http-client\.ts$/,
  'eventsource-parser': /^src\/mcp\/upstream\/http-body\.ts$/,
  kysely: /^src\/store\//,
  pg: /^src\/(store|events)\//,
  pino: /^src\/base\/log\.ts$/,
  yaml: /^src\/(config|policy)\//,
  ajv: /^src\/policy\//,
  '@lydell/node-pty': /^src\/terminal\/holder\/pty\.ts$/,
  '@xterm/headless': /^src\/terminal\/emulator\//,
  '@napi-rs/canvas': /^src\/terminal\/screenshot\//,
  re2js: /^src\/(terminal\/patterns|policy\/[a-z-]+)\.ts$/,
}

interface Import {
  readonly file: string
  readonly specifier: string
  readonly isTypeOnly: boolean
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const imports = sources.flatMap(importsOf)

test('there are sources, and they import one another', () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(imports.filter(({ specifier }) => specifier.startsWith('.')).length).toBeGreaterThan(100)
})

test('every folder of src has its layer, and stands on the map', () => {
  const map = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const places = [...new Set(sources.map(placeOf))].sort()
  expect(places).toEqual(layers.flat().sort())
  for (const place of places) expect(map, `docs/architecture.md says nothing of ${place}`).toContain(`\`${place}`)
})

test('imports go down only', () => {
  const wrong = localImports().filter(({ from, to }) => from !== to && layerOf(to) >= layerOf(from))
  expect(wrong.map(({ text }) => text)).toEqual([])
})

test('a folder is entered by its front door', () => {
  const wrong = localImports().filter(
    ({ from, to, target }) =>
      from !== to && to.indexOf('.') < 0 && !openFolders.has(to) && target !== `src/${to}/${to}.ts`,
  )
  expect(wrong.map(({ text }) => text)).toEqual([])
})

test('each heavy package has one importer', () => {
  const wrong = imports.filter(({ file, specifier, isTypeOnly }) => {
    const allowed = importers[packageOf(specifier)]
    return allowed !== undefined && !isTypeOnly && !allowed.test(file)
  })
  expect(wrong).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = sources.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')))
  expect(readers.filter((file) => !file.startsWith('src/config/'))).toEqual([])
})

test('the page imports nothing but the contract', () => {
  const pageFiles = globSync('web/**/*.{js,ts,tsx}', { cwd: root })
  expect(pageFiles.length).toBeGreaterThan(0)
  const wrong = pageFiles
    .flatMap(importsOf)
    .filter(({ specifier }) => specifier.includes('src/') && !specifier.includes('src/api/'))
  expect(wrong).toEqual([])
})

test('files stay small, and are named for what they hold', () => {
  const long = sources.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 300)
  expect(long).toEqual([])
  const vague = sources.filter((file) => /(^|[/-])(utils?|helpers?|managers?|services?|index)\.ts$/.test(file))
  expect(vague).toEqual(['src/index.ts'])
})

test('the tests of the map can fail', () => {
  expect(layerOf('base')).toBeLessThan(layerOf('mcp'))
  expect(importsOf('src/hub.ts').map(({ specifier }) => specifier)).toContain('./mcp/mcp.ts')
})

function importsOf(file: string): Import[] {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'))
  const fixed = module.staticImports.map(({ moduleRequest, entries }) => ({
    file,
    specifier: moduleRequest.value,
    isTypeOnly: entries.length > 0 && entries.every((entry) => entry.isType),
  }))
  const passedOn = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, isType }) =>
      moduleRequest ? [{ file, specifier: moduleRequest.value, isTypeOnly: isType }] : [],
    ),
  )
  const text = readFileSync(join(root, file), 'utf8')
  const late = module.dynamicImports.map(({ moduleRequest }) => ({
    file,
    specifier: text.slice(moduleRequest.start, moduleRequest.end).replaceAll(/^['"`]|['"`]$/g, ''),
    isTypeOnly: false,
  }))
  return [...fixed, ...passedOn, ...late]
}

function localImports() {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ file, specifier }) => {
      const target = relative(root, resolve(root, dirname(file), specifier))
      return { text: `${file} → ${target}`, from: placeOf(file), to: placeOf(target), target }
    })
}

/** The folder of src a file is in, or its own name where it stands at the top. */
function placeOf(file: string): string {
  return file.split('/')[1] ?? file
}

function layerOf(place: string): number {
  return layers.findIndex((layer) => layer.includes(place))
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
