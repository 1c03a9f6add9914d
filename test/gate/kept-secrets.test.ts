/** The data that a hub stores of an upstream that repeats its secret everywhere, and of an agent that does the same. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../fixtures/until.ts'
import { modern } from '../http/modern-request.ts'
import { startScriptedWorld } from '../worlds/scripted-world.ts'

const secret = 'supersecretvalue12345'
const uri = `https://example.org/x?auth=${secret}`

test('no secret of a connector is stored in the database, and everything that contains the secret still works', async () => {
  await using world = await startScriptedWorld({ VAULT_TOKEN: secret })
  const agent = await world.session('work')
  const upstream = await world.upstream('vault', {
    options: { env: { VAULT: '${VAULT_TOKEN}' } },
    lists: {
      tools: [{ name: 'script', description: `uses ${secret}`, inputSchema: { type: 'object' } }],
      resources: [{ uri, name: 'one' }],
    },
  })
  await world.bind('work', 'vault')
  const listed = async () => (await modern(agent, 'tools/list')).text
  await until(async () => (await listed()).includes(`uses ${secret}`))
  const callTool = async (name: string, args: object) =>
    (await modern(agent, 'tools/call', { name, arguments: args })).text
  expect(await callTool('resources_subscribe', { uri })).toContain('"ok":true')
  expect(await callTool('policy_propose', { rules: '- allow: vault_*', why: `for ${secret}` })).toContain('pending')
  expect(await modern(agent, 'resources/read', { uri: 'resource://subscriptions' })).toMatchObject({
    text: expect.stringContaining(uri),
  })

  await world.restart('SIGTERM')
  const kept = readdirSync(world.home).filter((name) => name.startsWith('hub.db'))
  expect(kept).toContain('hub.db')
  for (const name of kept) expect(readFileSync(join(world.home, name)).includes(secret)).toBe(false)
  await until(async () => (await listed()).includes(`uses ${secret}`))
  expect(upstream.received('resources/subscribe')).toHaveLength(1)
})
