import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { messageOf } from '../../base/hub-error.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('data directory')

const mebibyte = 1024 * 1024

/** What the database and a day of events need, with room to spare. */
export const leastFreeBytes = 256 * mebibyte

export function checkDataDirectory(given: { home: string; leastFreeBytes: number }): Finding[] {
  const { home } = given
  if (!existsSync(home)) {
    return [note(`${home} does not exist yet`, '"signalbox up" makes it'), ...freeSpace(nearestThere(home), given)]
  }
  const stats = statSync(home)
  if (!stats.isDirectory()) {
    return [broken(`${home} is no directory`, `move that file away, or name another directory with SIGNALBOX_HOME`)]
  }
  const findings = [...privacy(home, stats, 0o700), ...writability(home), ...tokenFile(home), ...freeSpace(home, given)]
  return findings.some(({ is }) => is === 'broken') ? findings : [ok(`${home} is private and writable`), ...findings]
}

/** Nobody but its owner may look in: what is inside lets one act as that person. */
function privacy(path: string, { mode, uid }: Stats, wanted: number): Finding[] {
  const findings: Finding[] = []
  const actual = mode & 0o777
  if ((actual & 0o077) !== 0 || (actual & wanted) !== wanted) {
    const octal = wanted.toString(8)
    findings.push(
      broken(`${path} has mode 0${actual.toString(8)} instead of 0${octal}`, `run "chmod ${octal} '${path}'"`),
    )
  }
  const me = process.getuid?.()
  if (me !== undefined && uid !== me) {
    findings.push(broken(`${path} belongs to user ${uid}, you are user ${me}`, `run "sudo chown -R ${me} '${path}'"`))
  }
  return findings
}

function writability(home: string): Finding[] {
  try {
    // Only trying tells: permissions say nothing about read-only mounts and full quotas.
    rmSync(mkdtempSync(join(home, '.doctor-')), { recursive: true })
    return []
  } catch (error) {
    return [
      broken(
        `nothing can be written into ${home}: ${messageOf(error)}`,
        'give yourself the right to, or name another directory with SIGNALBOX_HOME',
      ),
    ]
  }
}

function tokenFile(home: string): Finding[] {
  const path = join(home, 'token')
  if (!existsSync(path)) {
    return [note('there is no token file yet', '"signalbox up" makes the first token and keeps it there')]
  }
  const findings = privacy(path, statSync(path), 0o600)
  try {
    accessSync(path, constants.R_OK)
  } catch {
    findings.push(broken(`${path} cannot be read by you`, `run "sudo chown $(id -u) '${path}'"`))
  }
  return findings
}

function freeSpace(path: string, { leastFreeBytes: needed }: { leastFreeBytes: number }): Finding[] {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  if (free >= needed) return []
  return [
    broken(
      `only ${inMebibytes(free)} are free on the disk of ${path}, ${inMebibytes(needed)} are needed`,
      'make room, or lower events_max_mb',
    ),
  ]
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`
}

function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path))
}
