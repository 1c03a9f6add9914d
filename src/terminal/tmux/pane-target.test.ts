import { expect, test } from 'vitest'
import type { TestTmux } from '../../../test/fixtures/tmux-server.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'
import { findTarget } from './pane-target.ts'

/** `three` has two windows, the first with two panes. Another session was used last. */
async function startPersonsTmux(): Promise<{ readonly server: TestTmux; idOf(place: string): Promise<string> }> {
  const server = tmuxServer()
  await server.run('new-session', '-d', '-s', 'three', '-n', 'edit', 'cat')
  await server.run('split-window', '-t', 'three:0', 'cat')
  await server.run('new-window', '-t', 'three', '-n', 'build', 'cat')
  await server.run('new-session', '-d', '-s', 'my other', '-n', 'build', 'cat')
  return { server, idOf: (place) => server.run('display-message', '-p', '-t', place, '#{pane_id}') }
}

tmux.describe('a target', () => {
  test('finds the pane of a session, a window or a pane name as tmux would', async () => {
    const { server, idOf } = await startPersonsTmux()
    const session = await server.run('display-message', '-p', '-t', 'three:', '#{session_id}')
    const window = await server.run('display-message', '-p', '-t', 'three:0', '#{window_id}')
    for (const [target, place] of [
      ['three', 'three:1.0'],
      ['three:', 'three:1.0'],
      ['=three', 'three:1.0'],
      ['three.0', 'three:1.0'],
      ['three:0', 'three:0.1'],
      ['three:edit', 'three:0.1'],
      ['three:0.0', 'three:0.0'],
      ['three:edit.0', 'three:0.0'],
      ['three:build', 'three:1.0'],
      ['my other', 'my other:0.0'],
      ['my other:build', 'my other:0.0'],
      [session, 'three:1.0'],
      [`${session}:0.0`, 'three:0.0'],
      [window, 'three:0.1'],
      [`${window}.0`, 'three:0.0'],
      [await idOf('three:0.0'), 'three:0.0'],
    ] as const) {
      expect.soft((await findTarget(server.access, target)).pane?.id, target).toBe(await idOf(place))
    }
  })

  test.each(
    'three:0.9,three:7,three.5,three:7.0,thr,three:bui,th*,:,.,,-x,+,!,{last},~,0,:0,:0.0,.0,build,%99,@99,$99,@0.9'.split(
      ',',
    ),
  )('such as "%s" finds nothing, and the valid targets are returned', async (target) => {
    const { server } = await startPersonsTmux()
    expect(await findTarget(server.access, target)).toEqual({
      pane: undefined,
      targets: ['my other:0.0', 'three:0.0', 'three:0.1', 'three:1.0'],
    })
  })

  test('that matches two windows finds neither', async () => {
    const { server, idOf } = await startPersonsTmux()
    await server.run('new-window', '-t', 'three', '-n', 'build', 'cat')
    expect((await findTarget(server.access, 'three:build')).pane).toBeUndefined()
    expect((await findTarget(server.access, 'three:2')).pane?.id).toBe(await idOf('three:2'))
  })

  test('finds a window in two sessions by both names', async () => {
    const { server, idOf } = await startPersonsTmux()
    await server.run('link-window', '-s', 'three:0', '-t', 'my other:5')
    for (const target of ['three:0.0', 'my other:5.0']) {
      expect((await findTarget(server.access, target)).pane?.id).toBe(await idOf('three:0.0'))
    }
  })

  test('finds nothing without a tmux server', async () => {
    expect(await findTarget(tmuxServer().access, 'three')).toEqual({ pane: undefined, targets: [] })
  })
})
