/** Holds the map of docs/architecture.md: who may import whom, and where things live. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, expectTypeOf, test } from 'vitest'
import type { Face } from '../src/endpoint/endpoint.ts'
import type { Mount } from '../src/gateway/mount.ts'
import type { Operation } from '../src/mcp/mcp.ts'

const root = resolve(import.meta.dirname, '..')

/** One shape, and no knowledge of one another. */
const features = [
  'tokens',
  'connections',
  'status',
  'audit',
  'telemetry',
  'templates',
  'sessions',
  'activity',
  'terminal-tools',
  'connectors',
  'policies',
  'approvals',
  'gateway',
  'threads',
  'peers',
  'routes',
  'repositories',
  'chat',
  'prune',
  'workspaces',
  'push',
]

/** A layer does not import from higher ones, and folders of one layer do not import one another. */
const layers: readonly (readonly string[])[] = [
  ['base'],
  ['api'],
  ['client', 'config'],
  ['store', 'events', 'policy', 'mcp', 'terminal', 'index', 'sandbox'],
  ['git'],
  ['models'],
  ['endpoint', 'upstream'],
  ['drivers'],
  ['gate', 'feature'],
  features,
  ['http', 'socket', 'cli'],
  ['agent-faces.ts', 'confine-program.ts', 'confine-upstream.ts', 'repository-faces.ts'],
  ['hub.ts'],
  ['index.ts', 'main.ts'],
]
/** Each file of these folders can be imported by itself. Every other folder is entered by its front door. */
const openFolders = new Set(['base', 'api'])

/** Heavy packages, and the one place that may import each. */
const importers: Readonly<Record<string, RegExp>> = {
  '@modelcontextprotocol/server': /^src\/endpoint\/sdk\.ts$/,
  '@modelcontextprotocol/client': /^src\/(cli\/hub\/sdk-client|upstream\/oauth-login)\.ts$/,
  '@ai-sdk/openai': /^src\/models\/sdk\.ts$/,
  '@ai-sdk/anthropic': /^src\/models\/sdk\.ts$/,
  '@ai-sdk/google': /^src\/models\/sdk\.ts$/,
  '@ai-sdk/openai-compatible': /^src\/models\/sdk\.ts$/,
  undici: /^src\/upstream\/http-client\.ts$/,
  'eventsource-parser': /^src\/base\/event-stream\.ts$/,
  kysely: /^src\/store\//,
  pg: /^src\/store\//,
  pino: /^src\/base\/log\.ts$/,
  yaml: /^src\/(config|policy)\//,
  ajv: /^src\/policy\//,
  '@lydell/node-pty': /^src\/terminal\/pty\/pty\.ts$/,
  '@xterm/headless': /^src\/terminal\/emulator\//,
  '@napi-rs/canvas': /^src\/terminal\/screenshot\//,
  uqr: /^src\/cli\/terminal-output\/qr-code\.ts$/,
  '@opentelemetry/api': /^src\/telemetry\/otlp-sender\.ts$/,
  '@opentelemetry/exporter-trace-otlp-http': /^src\/telemetry\/otlp-sender\.ts$/,
  '@opentelemetry/resources': /^src\/telemetry\/otlp-sender\.ts$/,
  '@opentelemetry/sdk-trace-base': /^src\/telemetry\/otlp-sender\.ts$/,
  'web-tree-sitter': /^src\/index\/chunks\/definitions\.ts$/,
  re2js: /^src\/base\/pattern\.ts$/,
}

interface Import {
  readonly file: string
  readonly specifier: string
  readonly isTypeOnly: boolean
}

const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const imports = sources.flatMap(importsOf)
const members = sources.flatMap(membersOf)

test('there are sources, and they import one another', () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(imports.filter(({ specifier }) => specifier.startsWith('.')).length).toBeGreaterThan(100)
})

test('every folder of src has its layer, and is on the map', () => {
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

test('the contract of MCP loads neither the endpoint nor the upstreams, and no package but zod', () => {
  const loaded = loadedBy('src/mcp/mcp.ts')
  expect([...new Set([...loaded.files].map(placeOf))].sort()).toEqual(['base', 'mcp'])
  expect([...loaded.packages]).toEqual(['zod'])
})

test('only the root loads the endpoint and the upstreams; features and surfaces import their types', () => {
  const loaders = localImports().filter(({ from, to, isTypeOnly }) => from !== to && isEngineOfMcp(to) && !isTypeOnly)
  expect([...new Set(loaders.map(({ from }) => from))].sort()).toEqual([
    'agent-faces.ts',
    'hub.ts',
    'repository-faces.ts',
  ])
})

test('the root, and nothing else, makes the features and connects their signals', () => {
  const madeByRoot = new Set(
    localImports().flatMap(({ from, to, isTypeOnly }) => (from === 'hub.ts' && !isTypeOnly ? [to] : [])),
  )
  expect(features.filter((feature) => !madeByRoot.has(feature))).toEqual([])
  const loaders = localImports().filter(({ from, to, isTypeOnly }) => from !== to && to === 'feature' && !isTypeOnly)
  expect(loaders.map(({ from }) => from)).toEqual(['hub.ts'])
})

test('in the root, no function uses a constant that is declared below it', () => {
  expect(
    [
      'src/hub.ts',
      'src/agent-faces.ts',
      'src/confine-program.ts',
      'src/confine-upstream.ts',
      'src/repository-faces.ts',
    ].flatMap((file) => usedTooEarly(file, readFileSync(join(root, file), 'utf8'))),
  ).toEqual([])
})

test('a constant that is used too early is found, and one that a parameter hides is not', () => {
  const source = `
    function start() {
      const early = createEarly({ onEnd: () => late.close(), on: ({ hidden }) => hidden.close(), late: (late) => late })
      const { late, hidden } = createLate(early)
      return () => late.open(hidden)
    }`
  expect(usedTooEarly('hub.ts', source)).toEqual(['hub.ts:3: late'])
})

test('no files import one another in a cycle, not even for types', () => {
  expect(filesInCycles()).toEqual([])
})

test('sessions reach a terminal through a run only', () => {
  const members = sources.filter((file) => file.startsWith('src/sessions/'))
  expect(members.length).toBeGreaterThan(30)
  const naming = members.filter((file) => /\bTerminals?\b/.test(readFileSync(join(root, file), 'utf8')))
  const importing = localImports().filter(({ from, to }) => from === 'sessions' && to === 'terminal')
  expect([...naming, ...importing.map(({ text }) => text)]).toEqual([])
})

test('no two sub-folders of a folder import each other, nor do a folder and a sub-folder', () => {
  const pairs = new Set(
    localImports()
      .filter(({ from, to }) => from === to)
      .map(({ file, target }) => [subFolderOf(file), subFolderOf(target)] as const)
      .filter(([from, to]) => from !== to)
      .map(([from, to]) => `${from} → ${to}`),
  )
  const divided = new Set([...pairs].map((pair) => pair.split('/')[0]))
  expect([...divided]).toEqual(expect.arrayContaining(['cli', 'connectors', 'drivers', 'terminal']))
  const bothWays = [...pairs].filter((pair) => pairs.has(pair.split(' → ').toReversed().join(' → ')))
  expect(bothWays).toEqual([])
})

/**
 * A holder runs for weeks in a process of its own. The code that it needs is below it, and does not import from the
 * hub.
 */
const holderParts = [
  'base',
  'terminal/forwards',
  'terminal/holder',
  'terminal/journal',
  'terminal/pty',
  'terminal/tmux',
]

test('the files that run in the holder import nothing above it, not even types', () => {
  const inHolder = sources.filter((file) => subFolderOf(file) === 'terminal/holder')
  expect(inHolder).toContain('src/terminal/holder/holder.ts')
  const needed = new Set(inHolder.flatMap(reachableFrom))
  expect([...needed].filter((file) => !holderParts.includes(subFolderOf(file)))).toEqual([])
})

test('each heavy package has one importer', () => {
  const wrong = imports.filter(({ file, specifier, isTypeOnly }) => {
    const allowed = importers[packageOf(specifier)]
    return allowed !== undefined && !isTypeOnly && !allowed.test(file)
  })
  expect(wrong).toEqual([])
})

/** Everything else names the reach of a program, at `base/start-program.ts`. */
const startingPrograms: Readonly<Record<string, string>> = {
  'src/base/start-program.ts': 'starts all others',
  'src/base/worker-host.ts': 'forks a module of the hub',
  'src/terminal/holder/pipes.ts': 'the program of a session, which holders.ts has put into its sandbox',
  'src/terminal/pty/pty.ts': 'the same, in a terminal',
  'src/upstream/stdio-transport.ts': 'a connector, which confine-upstream.ts has put into its sandbox',
}

test('programs are started in one place, which takes their reach', () => {
  const named = /['"`](node:)?(child_process|cluster)['"`]|['"`]@?[\w/]*node-pty['"`]/
  const files = [...sources, ...globSync('src/**/*.js', { cwd: root })].filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return named.test(text.replaceAll(/^import type .*$/gm, ''))
  })
  expect(files.sort()).toEqual(Object.keys(startingPrograms).sort())
})

test('docs/security.md says what each program that is started may reach', () => {
  const table = readFileSync(join(root, 'docs/security.md'), 'utf8').split('### Programs that the hub starts')[1]!
  const own = 'src/base/start-program.ts'
  const callers = localImports().filter(({ target, isTypeOnly }) => target === own && !isTypeOnly)
  expect(callers.length).toBeGreaterThan(5)
  const files = new Set([...callers.map(({ file }) => file), ...Object.keys(startingPrograms)])
  files.delete(own)
  // It uses what the same file says about variables.
  files.delete('src/sandbox/bubblewrap.ts')
  expect([...files].filter((file) => !table.includes(`\`${file.slice(4)}\``))).toEqual([])
})

test('only the configuration reads the environment', () => {
  const readers = sources.filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')))
  expect(readers.filter((file) => !file.startsWith('src/config/'))).toEqual([])
})

test('the page imports nothing but the contract and the client', () => {
  const pageFiles = globSync('web/**/*.{js,ts,tsx}', { cwd: root })
  expect(pageFiles.length).toBeGreaterThan(0)
  const wrong = pageFiles
    .flatMap(importsOf)
    .filter(({ specifier }) => specifier.includes('src/') && !/src\/(api\/|client\/client\.ts$)/.test(specifier))
  expect(wrong).toEqual([])
})

test('code that the page may import runs in a browser', () => {
  const shared = sources.filter((file) => /^src\/(api|client)\//.test(file))
  const files = [...new Set(shared.flatMap((file) => [...loadedBy(file).files]))]
  expect(files.some((file) => file.startsWith('src/base/'))).toBe(true)
  const wrong = files.filter(
    (file) =>
      importsOf(file).some(({ specifier }) => specifier.startsWith('node:')) ||
      /\b(Buffer|process)\b[.[(]/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(wrong).toEqual([])
})

test('the gate does not depend on MCP', () => {
  const known = localImports().filter(({ from, to }) => from === 'gate' && to !== 'gate')
  expect([...new Set(known.map(({ to }) => to))].sort()).toEqual([
    'api',
    'base',
    'drivers',
    'events',
    'policy',
    'store',
  ])
})

/** The way to an upstream, and the files that put the gate before it. */
const relay = ['mount-relay', 'relayed-call', 'shared-upstreams'].map((name) => `src/gateway/${name}.ts`)
const gateUsers = ['gate-layer', 'gateway', 'policy-errors', 'question-gate'].map((name) => `src/gateway/${name}.ts`)

test('the files that reach an upstream do not import the gate, and those before the gate do not import them', () => {
  const users = localImports().filter(({ from, to }) => from === 'gateway' && to === 'gate')
  expect([...new Set(users.map(({ file }) => file))].sort()).toEqual(gateUsers)
  expect(reachableFrom('src/gateway/mount.ts')).toEqual(expect.arrayContaining(relay))
  for (const file of ['gate-layer', 'question-gate']) {
    expect(reachableFrom(`src/gateway/${file}.ts`).filter((reached) => relay.includes(reached))).toEqual([])
  }
  const relayUsers = localImports().filter(({ target }) => target === 'src/gateway/mount-relay.ts')
  expect(relayUsers.map(({ file }) => file)).toEqual(['src/gateway/mount.ts'])
})

test('the offers of a mount reach the face of its session only through its provider', () => {
  const users = new Set(members.filter(({ name }) => name === 'offers').map(({ file }) => file))
  expect([...users]).toEqual(['other-methods', 'session-mounts'].map((name) => `src/gateway/${name}.ts`))
})

test('only a face asks providers for things that can be run', () => {
  const runnable =
    /^(tools|findTool|resources|resourceTemplates|resourceAt|prompts|requestHandlers|notificationHandlers)$/
  const asking = members
    .filter(({ name, isCalled }) => isCalled && runnable.test(name))
    .filter(({ file, of }) => !/\/face(-\w+)?\.ts$/.test(file) && !/(^|\.)face(\(\))?$/.test(of))
  expect(asking.map(({ file, of, name }) => `${file}: ${of}.${name}()`)).toEqual([
    'src/gateway/session-mounts.ts: mountAt(label)?.offers.resourceAt()',
    'src/gateway/session-mounts.ts: owner.offers.resourceAt()',
  ])
})

test('things that faces and mounts show to others cannot be run', () => {
  expectTypeOf<NonNullable<ReturnType<Face['findTool']>>>().not.toHaveProperty('run')
  expectTypeOf<ReturnType<Face['tools']>[number]>().not.toHaveProperty('run')
  expectTypeOf<NonNullable<ReturnType<Face['findPrompt']>>>().not.toHaveProperty('get')
  expectTypeOf<Extract<Operation, { kind: 'tool' }>['tool']>().not.toHaveProperty('run')
  expectTypeOf<Mount['definitions']['tools'][number]>().not.toHaveProperty('run')
  expectTypeOf<Mount['definitions']['resources'][number]>().not.toHaveProperty('read')
  expectTypeOf<Mount['definitions']['templates'][number]>().not.toHaveProperty('read')
  expectTypeOf<Mount['definitions']['prompts'][number]>().not.toHaveProperty('get')
})

test('files are named for what they hold', () => {
  const vague = sources.filter((file) => /(^|[/-])(utils?|helpers?|managers?|services?|index)\.ts$/.test(file))
  // An index of a repository is called so.
  expect(vague).toEqual(['src/index.ts', 'src/index/index.ts'])
})

test('the tests of the map can fail', () => {
  expect(layerOf('base')).toBeLessThan(layerOf('mcp'))
  expect(importsOf('src/hub.ts').map(({ specifier }) => specifier)).toContain('./mcp/mcp.ts')
  expect([...loadedBy('src/endpoint/endpoint.ts').packages]).toContain('zod')
  expect([...loadedBy('src/endpoint/endpoint.ts').files]).toContain('src/mcp/wire.ts')
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
    .map((each) => {
      const target = targetOf(each)
      return { ...each, text: `${each.file} → ${target}`, from: placeOf(each.file), to: placeOf(target), target }
    })
}

function targetOf({ file, specifier }: Import): string {
  return relative(root, resolve(root, dirname(file), specifier))
}

/** The files of src that are loaded with a file at run time, and the packages that are not Node's own. */
function loadedBy(start: string) {
  const files = new Set([start])
  const packages = new Set<string>()
  for (const file of files) {
    for (const each of imports.filter((found) => found.file === file && !found.isTypeOnly)) {
      if (each.specifier.startsWith('.')) files.add(targetOf(each))
      else if (!each.specifier.startsWith('node:')) packages.add(packageOf(each.specifier))
    }
  }
  return { files, packages }
}

/** The files that can be reached from themselves, by imports of any kind. */
function filesInCycles(): readonly string[] {
  const next = Map.groupBy(localImports(), ({ file }) => file)
  const reached = (start: string) => {
    const found = new Set((next.get(start) ?? []).map(({ target }) => target))
    for (const file of found) for (const { target } of next.get(file) ?? []) found.add(target)
    return found
  }
  return [...next.keys()].filter((file) => reached(file).has(file))
}

function isEngineOfMcp(place: string): boolean {
  return place === 'endpoint' || place === 'upstream'
}

/** All files that a file imports, and those that these import. */
function reachableFrom(start: string): string[] {
  const found = new Set([start])
  const all = localImports()
  for (const each of found) for (const { file, target } of all) if (file === each) found.add(target)
  return [...found]
}

interface Member {
  readonly file: string
  readonly name: string
  /** As it is written. */
  readonly of: string
  readonly isCalled: boolean
}

/** Every use of a constant of a function body that stands before its declaration, as `file:line: name`. */
function usedTooEarly(file: string, text: string): readonly string[] {
  const found: string[] = []
  /** For each body that the walk is in: where its constants are declared. */
  const bodies: Map<string, number>[] = []
  /** For each function that the walk is in: the names of its parameters. */
  const hidden: Set<string>[] = []
  const notUses = new Set<unknown>()
  type Node = { readonly type: string; readonly start: number }

  function enter({ params, body }: { readonly params: readonly unknown[]; readonly body: unknown }): void {
    hidden.push(new Set(params.flatMap((param) => namesIn(param))))
    const statements = isBlock(body) ? body.body : []
    bodies.push(
      new Map(
        statements.flatMap((statement) =>
          statement.type === 'VariableDeclaration'
            ? namesIn(statement.declarations).map((name) => [name, statement.start])
            : [],
        ),
      ),
    )
  }
  function leave(): void {
    hidden.pop()
    bodies.pop()
  }

  new Visitor({
    FunctionDeclaration: enter,
    'FunctionDeclaration:exit': leave,
    FunctionExpression: enter,
    'FunctionExpression:exit': leave,
    ArrowFunctionExpression: enter,
    'ArrowFunctionExpression:exit': leave,
    MemberExpression: ({ property, computed }) => void (computed || notUses.add(property)),
    Property: ({ key, computed, shorthand }) => void (computed || shorthand || notUses.add(key)),
    Identifier(node) {
      if (notUses.has(node)) return
      // The innermost scope that knows the name is the one it means.
      for (let depth = bodies.length - 1; depth >= 0; depth--) {
        const declaredAt = bodies[depth]!.get(node.name)
        if (declaredAt !== undefined) {
          if (node.start < declaredAt)
            found.push(`${file}:${text.slice(0, node.start).split('\n').length}: ${node.name}`)
          return
        }
        if (hidden[depth]!.has(node.name)) return
      }
    },
  }).visit(parseSync(file, text).program)
  return found

  function isBlock(body: unknown): body is { readonly body: readonly (Node & { readonly declarations: unknown })[] } {
    return typeof body === 'object' && body !== null && 'type' in body && body.type === 'BlockStatement'
  }
}

/** The names that a pattern, a parameter or a list of declarators binds. */
function namesIn(pattern: unknown): readonly string[] {
  if (Array.isArray(pattern)) return pattern.flatMap(namesIn)
  if (typeof pattern !== 'object' || pattern === null) return []
  const node = pattern as Readonly<Record<string, unknown>>
  switch (node['type']) {
    case 'Identifier':
      return [String(node['name'])]
    case 'VariableDeclarator':
      return namesIn(node['id'])
    case 'AssignmentPattern':
      return namesIn(node['left'])
    case 'RestElement':
      return namesIn(node['argument'])
    case 'Property':
      return namesIn(node['value'])
    case 'ObjectPattern':
      return namesIn(node['properties'])
    case 'ArrayPattern':
      return namesIn(node['elements'])
    default:
      return []
  }
}

/** Every `of.name` and `{ name } = of` of a file. */
function membersOf(file: string): readonly Member[] {
  const text = readFileSync(join(root, file), 'utf8')
  const { program } = parseSync(file, text)
  const called = new Set<unknown>()
  const found: Member[] = []
  new Visitor({
    CallExpression: ({ callee }) => void called.add(callee),
    MemberExpression(node) {
      const { object, property, computed } = node
      const name = text.slice(property.start, property.end)
      const of = text.slice(object.start, object.end)
      if (!computed) found.push({ file, name, of, isCalled: called.has(node) })
    },
    ObjectPattern({ properties }) {
      for (const each of properties) {
        if (each.type !== 'Property' || each.computed) continue
        found.push({ file, name: text.slice(each.key.start, each.key.end), of: '{}', isCalled: false })
      }
    },
  }).visit(program)
  return found
}

/** `cli/sessions` of `src/cli/sessions/ls.ts`; the files of `cli` itself are in `cli`. */
function subFolderOf(file: string): string {
  return dirname(file).split('/').slice(1, 3).join('/')
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
