import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('runtime')

const oldestNode = 24

export function checkRuntime({ nodeVersion, platform }: { nodeVersion: string; platform: string }): Finding[] {
  const major = Number(/^v?(\d+)\./.exec(nodeVersion)?.[1])
  const node =
    major >= oldestNode
      ? ok(`Node ${nodeVersion}`)
      : broken(
          `Node ${nodeVersion} is too old, the hub needs ${oldestNode} or newer`,
          'start the hub with bin/signalbox, which brings its own Node, or install Node 24',
        )
  return [node, ...systemOf(platform)]
}

function systemOf(platform: string): Finding[] {
  if (platform === 'linux') return []
  if (platform === 'win32') return [broken('Windows is not supported', 'run the hub in WSL or on Linux')]
  return [note(`${platform} should work, but the hub is made for Linux`)]
}
