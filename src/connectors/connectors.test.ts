import { expect, test } from 'vitest'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'

const files = { name: 'files', transport: 'stdio', cmd: 'npx', args: ['-y', 'server-files', '{workspace}'] }
const github = {
  name: 'github',
  transport: 'http',
  base_url: 'https://example.org/mcp',
  headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' },
}

describeOnEachEngine('connectors', (open) => {
  test('a connector is stored with its defaults, replaced as a whole by name, and still there after a restart', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    const saved = await connectors.save({ ...files, options: { custom: { deep: [1] } } })
    expect(saved.connector).toEqual({
      ...files,
      kind: 'client',
      env_keys: [],
      options: { custom: { deep: [1] } },
      strict: true,
      enabled: true,
    })
    const changed = await connectors.save({ ...files, args: [], strict: false })
    expect(changed).toMatchObject({ id: saved.id, createdAt: saved.createdAt })
    await connectors.save(github)
    const next = connectorWorld(await opened.reopen()).connectors
    expect((await next.list()).map(({ connector }) => connector)).toMatchObject([
      { name: 'files', args: [], strict: false, options: {} },
      { name: 'github', headers: github.headers },
    ])
  })

  test('an unknown name is answered with the existing names', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    await expect(connectors.find('nope')).rejects.toThrow('save_connector')
    await connectors.save(files)
    await expect(connectors.find('nope')).rejects.toThrow('There are files.')
    await expect(connectors.delete('nope')).rejects.toThrow('There are files.')
  })

  test('a binding gets a label made from the connector’s name, and is deleted with the connector', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { connectors, changes } = world
    const { id } = await world.addSession('build')
    await connectors.save({ ...files, name: 'my-files' })
    const { label } = await connectors.bind('build', 'my-files', {
      priority: 3,
      overrides: { options: { prefix: false } },
    })
    expect(label).toBe('myfiles')
    expect(await connectors.bindingsOf(id)).toMatchObject([
      { label: 'myfiles', priority: 3, connector: 'my-files', isEnabled: true, isShared: false, hasPrefix: false },
    ])
    expect(await connectors.delete('my-files')).toMatchObject([{ id, name: 'build', label: 'myfiles' }])
    expect(await connectors.bindingsOf(id)).toEqual([])
    expect(changes).toEqual([id, id])
  })

  test('a binding is deleted with its session', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { id } = await world.addSession('build')
    await world.connectors.save(files)
    await world.connectors.bind('build', 'files')
    await opened.store.db.deleteFrom('sessions').where('id', '=', id).execute()
    expect(await opened.store.db.selectFrom('mcp_session_bindings').selectAll().execute()).toEqual([])
  })

  test('a connector can be bound under two labels, and binding a label again updates it', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { id } = await world.addSession('build')
    const { connectors } = world
    await connectors.save(files)
    await connectors.bind(id, 'files')
    await connectors.bind(id, 'files', { label: 'other', overrides: { args: ['/other'] } })
    await connectors.bind(id, 'files', { label: 'other', overrides: { args: ['/third'] }, priority: 1 })
    const [first, second] = await Promise.all([connectors.resolve(id, 'files'), connectors.resolve(id, 'other')])
    expect(first.target.reach).toMatchObject({ args: ['-y', 'server-files', '/srv/build'] })
    expect(second.target.reach).toMatchObject({ args: ['/third'] })
    expect((await connectors.bindingsOf(id)).map(({ label, priority }) => [label, priority])).toEqual([
      ['files', 0],
      ['other', 1],
    ])
    await connectors.unbind(id, 'other')
    await expect(connectors.unbind(id, 'other')).rejects.toThrow('has no binding "other". It has files.')
  })

  test('of two connectors that ask for one label at once, one is refused with an error that names both', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { id } = await world.addSession('build')
    await world.connectors.save(files)
    await world.connectors.save(github)
    const outcomes = await Promise.allSettled([
      world.connectors.bind(id, 'files', { label: 'x' }),
      world.connectors.bind(id, 'github', { label: 'x' }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const reason = String(outcomes.find((outcome) => outcome.status === 'rejected')?.reason)
    expect(reason).toContain('would be the mount "x"')
    expect(reason).toContain('of the connector')
    expect(await world.connectors.bindingsOf(id)).toHaveLength(1)
  })

  test('a session starts with all its connectors or with none', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { id } = await world.addSession('build')
    const { connectors } = world
    await connectors.save(files)
    await connectors.save(github)
    await expect(connectors.bindAll(id, ['files', 'nope'])).rejects.toThrow('There is no connector "nope"')
    await expect(connectors.bindAll(id, ['files', { connector: 'github', label: 'files' }])).rejects.toThrow(
      'taken by the mount "files" of the connector "files"',
    )
    await expect(connectors.bindAll(id, ['files', { connector: 'github', label: 'terminal' }])).rejects.toThrow(
      "taken by the hub's own mount",
    )
    expect(await connectors.bindingsOf(id)).toEqual([])
    await connectors.bindAll(id, ['files', { connector: 'github', label: 'gh', priority: 2 }])
    expect((await connectors.bindingsOf(id)).map(({ label }) => label)).toEqual(['files', 'gh'])
  })

  test('a target of the legacy map is registered once, and a different one of the same name is refused', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    const { connectors } = world
    await world.addSession('one')
    await world.addSession('two')
    const targets = [
      { id: 'files', transport: 'stdio', cmd: 'npx', args: ['server-files'], env_keys: ['FILES_TOKEN'] },
      { id: 'web', transport: 'http', base_url: 'https://example.org/mcp' },
    ]
    await connectors.bindLegacyMap('one', { targets: [...targets, targets[0]!] })
    await connectors.bindLegacyMap('two', { targets })
    expect((await connectors.list()).map(({ connector }) => connector.name)).toEqual(['files', 'web'])
    expect((await connectors.bindingsOf('id-of-two')).map(({ label }) => label)).toEqual(['files', 'web'])

    await world.addSession('three')
    const other = { ...targets[0]!, cmd: 'uvx' }
    await expect(connectors.bindLegacyMap('three', { targets: [other] })).rejects.toThrow(
      'there is another connector named "files": its "cmd" is "npx", and here it is "uvx"',
    )
    await expect(
      connectors.bindLegacyMap('three', {
        targets: [{ ...other, id: 'new' }, targets[0]!, { ...other, id: 'new', args: [] }],
      }),
    ).rejects.toThrow('"new"')
    const fresh = { id: 'fresh', cmd: 'x' }
    await expect(connectors.bindLegacyMap('three', { targets: [fresh, other] })).rejects.toThrow('another connector')
    await expect(connectors.bindLegacyMap('three', { targets: [fresh, { ...fresh, id: 'hub' }] })).rejects.toThrow(
      "the hub's own mount",
    )
    await expect(
      connectors.bindLegacyMap('three', { targets: [{ id: 'leak', cmd: 'x', env: { API_KEY: 'hunter2' } }] }),
    ).rejects.toThrow('env_keys')
    expect(await connectors.list()).toHaveLength(2)
  })

  test('one of two simultaneous legacy maps that use a name differently is refused', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    await world.addSession('one')
    await world.addSession('two')
    const outcomes = await Promise.allSettled([
      world.connectors.bindLegacyMap('one', { targets: [{ id: 'x', cmd: 'one' }] }),
      world.connectors.bindLegacyMap('two', { targets: [{ id: 'x', cmd: 'two' }] }),
    ])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await world.connectors.list()).toHaveLength(1)
  })

  test('the lists of an upstream are cached per configuration, survive a restart, and are deleted with the connector', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    const { id } = await connectors.save(files)
    const lists = {
      tools: [{ name: 'read', inputSchema: { type: 'object' }, 'x-custom': [1] }],
      resources: [],
      resourceTemplates: [],
      prompts: [],
      identity: { era: 'legacy', version: '2025-11-25' },
    }
    await connectors.saveLists(id, 'f1', { ...lists, tools: [] })
    await connectors.saveLists(id, 'f1', lists)
    expect(await connectors.loadLists(id, 'f2')).toBeUndefined()
    const next = connectorWorld(await opened.reopen()).connectors
    expect(await next.loadLists(id, 'f1')).toEqual(lists)
    await next.delete('files')
    expect(await next.loadLists(id, 'f1')).toBeUndefined()
    await next.saveLists(id, 'f1', lists)
    expect(await opened.store.db.selectFrom('mcp_known_lists').selectAll().execute()).toEqual([])
  })

  test('only the newest hundred lists of a connector are kept', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    const { id } = await connectors.save(files)
    const lists = { tools: [], resources: [], resourceTemplates: [], prompts: [] }
    const now = Date.now()
    for (let count = 0; count < 120; count++) {
      const row = { connector_id: id, fingerprint: `old${count}`, lists: JSON.stringify(lists) }
      const at = new Date(now - 200_000 + count * 1_000).toISOString()
      await opened.store.db
        .insertInto('mcp_known_lists')
        .values({ ...row, updated_at: at })
        .execute()
    }
    await connectors.saveLists(id, 'new', lists)
    const left = await opened.store.db.selectFrom('mcp_known_lists').select('fingerprint').execute()
    expect(left).toHaveLength(100)
    expect(await connectors.loadLists(id, 'old20')).toBeUndefined()
    expect(await connectors.loadLists(id, 'old21')).toBeDefined()
    expect(await connectors.loadLists(id, 'new')).toBeDefined()
  })

  test('an import is applied as a whole or not at all', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    await connectors.save(files)
    const plan = await connectors.imports.plan(
      ['mcp add github https://example.org/mcp', 'mcp add files -- uvx files', 'mcp remove files'].join('\n'),
    )
    const broken = { ...plan, add: [...plan.add, { ...plan.add[0]!, name: null as unknown as string }] }
    await expect(connectors.imports.apply(broken)).rejects.toThrow()
    expect((await connectors.list()).map(({ connector }) => [connector.name, connector.cmd])).toEqual([
      ['files', 'npx'],
    ])
  })

  test('repeating an import changes nothing', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store)
    const text = JSON.stringify({
      mcpServers: { a: { command: 'x', env: { A_KEY: 'hunter2' }, own: [1] }, b: { url: 'http://x' } },
    })
    await connectors.imports.apply(await connectors.imports.plan(text))
    expect(await connectors.list()).toHaveLength(2)
    expect(await connectors.imports.plan(text)).toMatchObject({ add: [], change: [], remove: [] })
  })

  test('subscribers are notified of changes to connectors and sessions, by name and by id', async () => {
    await using opened = await open()
    const world = connectorWorld(opened.store)
    await world.addSession('build')
    const take = () => new Set(world.told.splice(0))
    await world.connectors.save(files)
    expect(take()).toEqual(new Set(['resource://connectors', 'resource://connectors/files']))
    await world.connectors.bind('build', 'files')
    const all = new Set([
      'resource://connectors',
      'resource://connectors/files',
      'resource://sessions/build/mcp',
      'resource://sessions/id-of-build/mcp',
    ])
    expect(take()).toEqual(all)
    await world.connectors.save({ ...files, args: [] })
    expect(take()).toEqual(all)
    await world.connectors.on?.['upstream-changed']?.({ session: 'id-of-build', connector: 'files' })
    expect(take()).toEqual(all)
    await world.connectors.unbind('build', 'files')
    expect(take()).toEqual(all)
    expect(world.events).toMatchObject([
      { type: 'connector-saved', payload: { connector: { name: 'files' } } },
      { type: 'connector-bound', session: 'id-of-build', payload: { connector: 'files', label: 'files' } },
      { type: 'connector-saved' },
      { type: 'connector-unbound', session: 'id-of-build' },
    ])
  })
})
