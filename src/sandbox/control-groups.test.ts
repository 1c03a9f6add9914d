import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { findParents, openControlGroups } from './control-groups.ts'

/** A directory in place of `/proc/self`, and one in place of `/sys/fs/cgroup`. */
function machine(files: { cgroup: string; mountinfo: (tree: string) => string; controls?: Record<string, string> }) {
  const root = temporaryDirectory()
  const tree = join(root, 'tree')
  writeFileSync(join(root, 'cgroup'), files.cgroup)
  writeFileSync(join(root, 'mountinfo'), `21 1 8:1 / / rw - ext4 /dev/sda rw\n${files.mountinfo(tree)}\n`)
  for (const [group, controls] of Object.entries(files.controls ?? {})) {
    const file = join(tree, group, 'cgroup.subtree_control')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${controls}\n`)
  }
  return { root, tree }
}
const mountedV2 = (tree: string) => `30 25 0:27 / ${tree} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate`
const processes = { limited: 'processes', name: 'pids.max' }

test('version 2: takes the nearest group that limits others, since that of the hub has processes', () => {
  const { root, tree } = machine({
    cgroup: '0::/user.slice/app.slice/signalbox.service\n',
    mountinfo: mountedV2,
    controls: {
      '.': 'cpu memory pids',
      'user.slice/app.slice': 'memory pids',
      'user.slice/app.slice/signalbox.service': '',
    },
  })
  const files = [processes, { limited: 'memory', name: 'memory.max' }]
  expect(findParents(root)).toEqual([{ directory: join(tree, 'user.slice/app.slice'), files }])
})

test('version 2: limits what the machine can limit, and nothing in a group that others do not show', () => {
  const controls = { '.': 'pids' }
  const { root, tree } = machine({ cgroup: '0::/\n', mountinfo: mountedV2, controls })
  expect(findParents(root)).toEqual([{ directory: tree, files: [processes] }])
  expect(findParents(machine({ cgroup: '0::/../other\n', mountinfo: mountedV2, controls }).root)).toEqual([])
})

test('version 2: leaves no group whose memory somebody has limited', () => {
  const controls = { '.': 'memory pids', 'signalbox.service': '' }
  const { root, tree } = machine({ cgroup: '0::/signalbox.service\n', mountinfo: mountedV2, controls })
  writeFileSync(join(tree, 'signalbox.service/memory.max'), 'max\n')
  expect(findParents(root)).toMatchObject([{ directory: tree }])
  writeFileSync(join(tree, 'signalbox.service/memory.max'), '1073741824\n')
  expect(findParents(root)).toEqual([])
})

test('version 1: takes the group of the hub in the tree of each controller', () => {
  const { root, tree } = machine({
    cgroup: '8:pids:/hub\n4:memory:/box/hub\n1:name=systemd:/\n0::/\n',
    mountinfo: (tree) =>
      [
        `31 25 0:28 / ${tree}/pids rw - cgroup cgroup rw,pids`,
        `32 25 0:29 /box ${tree}/memory rw - cgroup cgroup rw,memory`,
        `33 25 0:30 / ${tree}/systemd rw - cgroup cgroup rw,name=systemd`,
        mountedV2(`${tree}/unified`),
      ].join('\n'),
  })
  expect(findParents(root)).toEqual([
    { directory: join(tree, 'pids/hub'), files: [processes] },
    { directory: join(tree, 'memory/hub'), files: [{ limited: 'memory', name: 'memory.limit_in_bytes' }] },
  ])
})

test('limits nothing where it may make no group', () => {
  const { root } = machine({ cgroup: '0::/\n', mountinfo: mountedV2, controls: { '.': 'memory pids' } })
  expect(openControlGroups({ processes: 1, memory: 1 }, root).limited).toEqual([])
})
