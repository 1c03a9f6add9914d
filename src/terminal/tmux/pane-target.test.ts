import { expect, test } from 'vitest'
import type { TestTmux } from '../../../test/fixtures/tmux-server.ts'
import { tmux, tmuxServer } from '../../../test/fixtures/tmux-server.ts'
import { findTarget } from './pane-target.ts'

/** `three` has two windows, the first with two panes; another session was used last. */
async function persons(): Promise<{ readonly server: TestTmux; idOf(place: string): Promise<string> }> {
  const server = tmuxServer()
  await server.run('new-session', '-d', '-s', 'three', '-n', 'edit', 'cat')
  await server.run('split-window', '-t', 'three:0', 'cat')
  await server.run('new-window', '-t', 'three', '-n', 'build', 'cat')
  await server.run('new-session', '-d', '-s', 'my other', '-n', 'build', 'cat')
  return { server, idOf: (place) => server.run('display-message', '-p', '-t', place, '#{pane_id}') }
}

tmux.describe('a target', () => {
  test('that names a session, a window or a pane finds what tmux would show there', async () => {
    const { server, idOf } = await persons()
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
  )('such as "%s" finds nothing, and is told what would', async (target) => {
    const { server } = await persons()
    expect(await findTarget(server.access, target)).toEqual({
      pane: undefined,
      targets: ['my other:0.0', 'three:0.0', 'three:0.1', 'three:1.0'],
    })
  })

  test('that two windows are called by finds neither', async () => {
    const { server, idOf } = await persons()
    await server.run('new-window', '-t', 'three', '-n', 'build', 'cat')
    expect((await findTarget(server.access, 'three:build')).pane).toBeUndefined()
    expect((await findTarget(server.access, 'three:2')).pane?.id).toBe(await idOf('three:2'))
  })

  test('of a window that is in two sessions finds it by both', async () => {
    const { server, idOf } = await persons()
    await server.run('link-window', '-s', 'three:0', '-t', 'my other:5')
    for (const target of ['three:0.0', 'my other:5.0']) {
      expect((await findTarget(server.access, target)).pane?.id).toBe(await idOf('three:0.0'))
    }
  })

  test('without a tmux server finds nothing, and nothing is there', async () => {
    expect(await findTarget(tmuxServer().access, 'three')).toEqual({ pane: undefined, targets: [] })
  })
})
