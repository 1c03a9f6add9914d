/**
 * What runs in a terminal beside its program: the groups in which a shell puts what it is told to run, and what the
 * program leaves behind when it ends. What gave itself a session of its own, as daemons do, is not among it.
 */
import type { RunningProcess } from './process-table.ts'
import { processTable } from './process-table.ts'

export interface Companions {
  /** Those that run now; the program's own group is among them once the program has ended. */
  left(): Promise<readonly RunningProcess[]>
  /** To all of them. Who may not be signalled is left. */
  signal(names: readonly NodeJS.Signals[]): Promise<void>
}

/** To be asked for while the program runs; afterwards nobody knows where it was. */
export async function findCompanions(pid: number, isRunning: () => boolean): Promise<Companions> {
  const all = await processTable.list()
  const program = all.find((each) => each.pid === pid)
  // Whatever a holder says its program is: what shares the hub's own terminal is none of it.
  const isElsewhere = all.every((each) => each.pid !== process.pid || each.place !== program?.place)
  let groups = new Set(all.filter(({ place }) => place === program?.place).map(({ group }) => group))

  async function left(): Promise<readonly RunningProcess[]> {
    if (!program || !isElsewhere) return []
    const inside = (await processTable.list()).filter(
      // Some systems take the terminal from those that stay behind; their groups are still theirs.
      ({ place, group }) => place === program.place || groups.has(group),
    )
    // A number may be another's once all of its group are gone.
    groups = new Set(inside.map(({ group }) => group))
    return isRunning() ? inside.filter(({ group }) => group !== program.group) : inside
  }

  return {
    left,
    async signal(names) {
      for (const group of new Set((await left()).map((each) => each.group))) {
        for (const name of names) signalGroup(group, name)
      }
    },
  }
}

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
