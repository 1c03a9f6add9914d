import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'
import { failureOf, start, startSessionHub } from '../worlds/session-hub.ts'

test('a screenshot is not saved in a directory that replaced the workspace, also after a restart of the hub', async () => {
  await using hub = await startSessionHub()
  const [project, outside] = ['project', 'outside'].map((name) => join(temporaryDirectory(), name)) as [string, string]
  mkdirSync(project)
  mkdirSync(outside)
  await start(hub, 'swapped', 'cat', { working_dir: project })
  const shot = { session: 'swapped', path: 'a.png' }
  expect(await hub.call('save_screenshot', shot)).toMatchObject({ success: true })

  renameSync(project, `${project}-aside`)
  symlinkSync(outside, project)
  expect(await failureOf(hub, 'save_screenshot', shot)).toContain('is outside the workspace')
  await hub.restart('SIGKILL')
  expect(await failureOf(hub, 'save_screenshot', shot)).toContain('is outside the workspace')
  rmSync(project)
  renameSync(outside, project)
  expect(await failureOf(hub, 'save_screenshot', shot)).toContain('another folder has replaced')
  expect(readdirSync(project)).toEqual([])
})
