import { expect, test } from 'vitest'
import { connectorWorld } from '../../test/fixtures/connector-world.ts'
import { describeOnEachEngine } from '../../test/harness/store-engines.ts'
import { createKnownListStore } from './known-lists.ts'

const files = { name: 'files', transport: 'stdio', cmd: 'npx' }
const noLists = { tools: [], resources: [], resourceTemplates: [], prompts: [] }

describeOnEachEngine('lists that are kept', (open) => {
  test('come back digit for digit', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    const text = '{"name":"read","inputSchema":{"maximum":18446744073709551615}}'
    const row = { lists: JSON.stringify({ ...noLists, tools: ['?'] }).replace('"?"', text), fingerprint: 'f1' }
    const values = { ...row, connector_id: id, updated_at: new Date().toISOString() }
    await opened.store.db.insertInto('mcp_known_lists').values(values).execute()
    expect(JSON.stringify((await known.load(id, 'f1'))?.tools)).toBe(`[${text}]`)
  })

  test('and are nested deeper than any honest one are refused', async () => {
    await using opened = await open()
    const { id } = await connectorWorld(opened.store).connectors.save(files)
    const known = createKnownListStore(opened.store, () => false)
    let deep: unknown = 'end'
    for (let level = 0; level < 300; level++) deep = [deep]
    await known.save(id, 'f1', { ...noLists, tools: [{ name: 'read', inputSchema: { deep } }] })
    await expect(known.load(id, 'f1')).rejects.toThrow('nested deeper than 200 levels')
  })
})
