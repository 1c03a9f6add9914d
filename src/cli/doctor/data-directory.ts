import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { reasonOf } from '../command/system-error.ts'
import { findingsAbout } from './finding.ts'
import type { Finding } from './finding.ts'

const { ok, note, broken } = findingsAbout('data directory')

const mebibyte = 1024 * 1024

/** More than the database and a day of events need. */
export const minFreeBytes = 256 * mebibyte

export function checkDataDirectory(given: { home: string; minFreeBytes: number }): Finding[] {
  const { home } = given
  if (!existsSync(home)) {
    return [note(`${home} does not exist yet`, '"signalbox up" creates it'), ...freeSpace(nearestExisting(home), given)]
  }
  const stats = statSync(home)
  if (!stats.isDirectory()) {
    return [broken(`${home} is not a directory`, `move that file away, or name another directory with SIGNALBOX_HOME`)]
  }
  const findings = [...privacy(home, stats, 0o700), ...writability(home), ...tokenFile(home), ...freeSpace(home, given)]
  return findings.some(({ is }) => is === 'broken') ? findings : [ok(`${home} is private and writable`), ...findings]
}

/** Only its owner may read it: with the token inside, a reader could act as that person. */
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
    // Tries it, because permissions say nothing about read-only mounts and full quotas.
    rmSync(mkdtempSync(join(home, '.doctor-')), { recursive: true })
    return []
  } catch (error) {
    return [
      broken(
        `${home} is not writable: ${reasonOf(error)}`,
        'make it writable, or name another directory with SIGNALBOX_HOME',
      ),
    ]
  }
}

function tokenFile(home: string): Finding[] {
  const path = join(home, 'token')
  if (!existsSync(path)) {
    return [note('there is no token file yet', '"signalbox up" creates it with your first token')]
  }
  const findings = privacy(path, statSync(path), 0o600)
  try {
    accessSync(path, constants.R_OK)
  } catch {
    findings.push(broken(`you cannot read ${path}`, `run "sudo chown $(id -u) '${path}'"`))
  }
  return findings
}

function freeSpace(path: string, { minFreeBytes: needed }: { minFreeBytes: number }): Finding[] {
  const { bavail, bsize } = statfsSync(path)
  const free = bavail * bsize
  if (free >= needed) return []
  return [
    broken(
      `only ${inMebibytes(free)} are free on the disk of ${path}, but the hub needs ${inMebibytes(needed)}`,
      'free some space, or lower events_max_mb',
    ),
  ]
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path))
}
