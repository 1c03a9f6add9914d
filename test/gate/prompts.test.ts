/** Prompts of a connector that a person bound need no approval, unless a rule says so. */
import { expect, test } from 'vitest'
import { modern } from '../http/modern-request.ts'
import { connectAgent, type Era } from './attempts.ts'
import { startGateWorld } from '../worlds/gate-world.ts'
import { aPrompt, aResource } from './paths.ts'

test.each<Era>(['legacy', 'modern'])('a %s client gets a prompt if only the default says ask', async (era) => {
  await using world = await startGateWorld({ SIGNALBOX_APPROVAL_HOLD: '0' })
  await using agent = await connectAgent(world.agent, era)
  // A prompt of an upstream that has not come up in time is not known.
  const listed = async () => JSON.stringify((await modern(world.agent, 'prompts/list')).body)
  await expect.poll(listed).toContain(`"${String(aPrompt.params.name)}"`)
  const outcomes = async (policy: string) => {
    await world.setPolicy(policy)
    return [await agent.attempt(aPrompt).outcome, await agent.attempt(aResource).outcome]
  }
  expect(await outcomes('default: ask')).toEqual(['ran', 'waiting'])
  expect(await outcomes('default: allow\nrules: [{ ask: up_read }]')).toEqual(['waiting', 'waiting'])
  expect(await outcomes('default: ask\nrules: [{ ask: "up_*" }]')).toEqual(['waiting', 'waiting'])
  expect(await outcomes('default: ask\nrules: [{ deny: up_read }]')).toEqual(['denied', 'denied'])
  expect(await outcomes('default: deny')).toEqual(['denied', 'denied'])
  expect(world.deeds()).toEqual(['prompts/get Hello'])
})
