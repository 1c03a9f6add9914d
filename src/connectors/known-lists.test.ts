import { expect, test } from 'vitest'
import { connectorWorld } from '../../test/worlds/connector-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { createKnownListStore } from './known-lists.ts'

const files = { name: 'files', transport: 'stdio', cmd: 'npx' }
const noLists = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

describeOnEachEngine('cached lists', (open) => {
  test('large numbers in a cached list keep all their digits', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    const text = '{"name":"read","inputSchema":{"maximum":18446744073709551615}}'
    const row = { lists: JSON.stringify({ ...noLists, tools: ['?'] }).replace('"?"', text), fingerprint: 'f1' }
    const values = { ...row, connector_id: id, updated_at: new Date().toISOString() }
    await opened.store.db.insertInto('mcp_known_lists').values(values).execute()
    expect(JSON.stringify((await known.load(id, 'f1'))?.tools)).toBe(`[${text}]`)
  })

  test('a cached list that is nested too deeply is refused', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    let deep: unknown = 'end'
    for (let level = 0; level < 300; level++) deep = [deep]
    await known.save(id, 'f1', { ...noLists, tools: [{ name: 'read', inputSchema: { deep } }] })
    await expect(known.load(id, 'f1')).rejects.toThrow('nested deeper than 200 levels')
  })

  test('the oldest lists of a connector are deleted when they take too much space', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    const lists = JSON.stringify({ ...noLists, tools: [{ name: 'read', description: 'd'.repeat(25 * 1024 * 1024) }] })
    for (const fingerprint of ['f1', 'f2', 'f3']) {
      const updated_at = `2026-01-01T00:00:0${fingerprint.slice(1)}.000Z`
      const row = { connector_id: id, fingerprint, lists, updated_at }
      await opened.store.db.insertInto('mcp_known_lists').values(row).execute()
    }
    await known.save(id, 'f4', noLists)
    const kept = await opened.store.db
      .selectFrom('mcp_known_lists')
      .select('fingerprint')
      .orderBy('fingerprint')
      .execute()
    expect(kept.map(({ fingerprint }) => fingerprint)).toEqual(['f2', 'f3', 'f4'])
  })

  test('lists are searched for secrets in small pieces', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    let longest = 0
    const known = createKnownListStore(opened.store, (text) => {
      longest = Math.max(longest, text.length)
      return text.includes('hunter2')
    })
    const tools = Array.from({ length: 300 }, (_, count) => ({
      name: `tool ${count}`,
      description: 'd'.repeat(10_000),
    }))
    await known.save(id, 'f1', { ...noLists, tools })
    expect(await known.load(id, 'f1')).toEqual({ ...noLists, tools })
    expect(longest).toBeLessThan(100_000)
    await known.save(id, 'f1', { ...noLists, tools: [...tools, { name: 'last', description: 'hunter2' }] })
    expect(await known.load(id, 'f1')).toBe(undefined)
  })

  test('lists that are too long are not cached', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    const tools = Array.from({ length: 50 }, (_, count) => ({
      name: `tool ${count}`,
      description: 'd'.repeat(100_000),
    }))
    await known.save(id, 'f1', { ...noLists, tools: tools.slice(25) })
    await known.save(id, 'f1', { ...noLists, tools })
    expect(await known.load(id, 'f1')).toBe(undefined)
  })
})
