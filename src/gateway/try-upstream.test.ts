import { expect, test } from 'vitest'
import { stdio } from '../../test/worlds/scripted-upstream.ts'
import { createTrialListener } from './try-upstream.ts'

const target = { name: 'files', era: 'auto', strict: true, handshakeMs: 1, callMs: undefined, heartbeatMs: 1 } as const
const rootsOf = (reach: typeof stdio & { readonly workspace?: string }) =>
  createTrialListener({ ...target, reach }).ask({ method: 'roots/list' }, new AbortController().signal)

test('an upstream that is tried out has its workspace as its root, and not the directory it runs in', async () => {
  expect(await rootsOf({ ...stdio, workspace: '/srv/build' })).toEqual({ roots: [{ uri: 'file:///srv/build' }] })
  expect(await rootsOf(stdio)).toEqual({ roots: [] })
})
