/** Secrets that can be recognised only by their value. */
import { expect, test } from 'vitest'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'

const secret = 'correct horse battery staple'
const given = { environment: { HOME: '/home/me', PATH: '/usr/bin', VAULT_TOKEN: secret } }
const vault = { name: 'vault', transport: 'stdio', cmd: 'vault', env_keys: ['VAULT_TOKEN'] }
const other = { name: 'other', transport: 'stdio', cmd: 'other' }
const lists = (description: string) => ({
  tools: [{ name: 'open', description, inputSchema: { properties: { token: { type: 'string' } } } }],
  resources: [],
  resourceTemplates: [],
  prompts: [],
})

describeOnEachEngine('secrets in stored connectors and lists', (open) => {
  test('lists that contain a secret are not stored, and the earlier lists are deleted', async () => {
    await using opened = await open()
    const { connectors } = connectorWorld(opened.store, given)
    const { id } = await connectors.save(vault)
    await connectors.saveLists(id, 'f', lists('opens it'))
    expect(await connectors.loadLists(id, 'f')).toEqual(lists('opens it'))
    await connectors.saveLists(id, 'f', lists(`opens it with ${secret}`))
    expect(await connectors.loadLists(id, 'f')).toBeUndefined()
    expect(await opened.store.db.selectFrom('mcp_known_lists').selectAll().execute()).toEqual([])
  })

  test('lists with secrets from an earlier hub are deleted at the start or when they are read', async () => {
    await using opened = await open()
    const earlier = connectorWorld(opened.store).connectors
    const { id } = await earlier.save(vault)
    for (const fingerprint of ['f', 'g']) await earlier.saveLists(id, fingerprint, lists(`opens it with ${secret}`))
    await earlier.saveLists(id, 'harmless', lists('opens it'))
    const { connectors, addSession } = connectorWorld(opened.store, given)
    await connectors.bind((await addSession('build')).name, 'vault')
    expect(await connectors.loadLists(id, 'f')).toBeUndefined()
    await connectors.dropKeptSecrets()
    const kept = await opened.store.db.selectFrom('mcp_known_lists').select('fingerprint').execute()
    expect(kept).toEqual([{ fingerprint: 'harmless' }])
  })

  test('a literal secret is refused in a binding, in a connector and in an import', async () => {
    await using opened = await open()
    const { connectors, addSession, callTool } = connectorWorld(opened.store, given)
    await addSession('build')
    await connectors.save(vault)
    const refusal = expect.stringMatching(/^"args\[0\]" holds what looks like a secret.*in the environment of the hub/)
    const args = [`--with=${secret}`]
    expect(await callTool('bind_connector', { session: 'build', connector: 'vault', overrides: { args } })).toEqual(
      refusal,
    )
    expect(await callTool('save_connector', { ...other, args })).toEqual(refusal)
    const text = JSON.stringify({ mcpServers: { other: { command: 'other', args } } })
    expect(await callTool('import_connectors', { text, dry_run: false })).toEqual(refusal)
    expect(await callTool('list_bindings', { session: 'build' })).toEqual({ bindings: [] })
    expect((await connectors.list()).map(({ connector }) => connector.name)).toEqual(['vault'])
    const byReference = { args: ['--with=${VAULT_TOKEN}'] }
    expect(
      await callTool('bind_connector', { session: 'build', connector: 'vault', overrides: byReference }),
    ).toMatchObject({ overrides: byReference, resolved: byReference })
  })

  test('a secret that an earlier hub stored is not shown', async () => {
    await using opened = await open()
    const earlier = connectorWorld(opened.store)
    const session = await earlier.addSession('build')
    await earlier.connectors.save(vault)
    const overrides = { args: [`--with=${secret}`] }
    const before = await earlier.connectors.bind('build', 'vault', { overrides })
    expect(before.resolved).toMatchObject(overrides)
    const { connectors } = connectorWorld(await opened.reopen(), { ...given, findSession: async () => session })
    const shown = await connectors.describeBindings('build')
    const hidden = { args: ['--with=[redacted]'] }
    expect(shown).toMatchObject([{ overrides: hidden, resolved: hidden }])
    expect(JSON.stringify(shown)).not.toContain(secret)
  })
})
