/**
 * The processes in a terminal beside its program: the process groups of a shell's commands, and processes that the
 * program leaves behind when it ends. A process with a session of its own, such as a daemon, is not included.
 */
import type { RunningProcess } from './process-table.ts'
import { processTable } from './process-table.ts'

export interface OtherProcesses {
  /** Those that run now. Includes the program's own group once the program has ended. */
  remaining(): Promise<readonly RunningProcess[]>
  /** Sends the signals to all of them. Skips processes that the hub may not signal. */
  signal(names: readonly NodeJS.Signals[]): Promise<void>
}

/** Call it while the program runs: afterwards its terminal is not known. */
export async function findOtherProcesses(pid: number, isRunning: () => boolean): Promise<OtherProcesses> {
  const all = await processTable.list()
  const program = all.find((each) => each.pid === pid)
  // Never touch processes in the hub's own terminal, whatever pid a holder reports.
  const isElsewhere = all.every((each) => each.pid !== process.pid || each.terminal !== program?.terminal)
  let groups = new Set(all.filter(({ terminal }) => terminal === program?.terminal).map(({ group }) => group))

  async function remaining(): Promise<readonly RunningProcess[]> {
    if (!program || !isElsewhere) return []
    const inside = (await processTable.list()).filter(
      // Some systems detach the processes that stay behind from the terminal, but their groups stay the same.
      ({ terminal, group }) => terminal === program.terminal || groups.has(group),
    )
    // A group number may be reused once all processes of the group are gone.
    groups = new Set(inside.map(({ group }) => group))
    return isRunning() ? inside.filter(({ group }) => group !== program.group) : inside
  }

  return {
    remaining,
    async signal(names) {
      for (const group of new Set((await remaining()).map((each) => each.group))) {
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
