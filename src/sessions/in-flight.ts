/** The tasks in flight, by id, so that others can wait for them. */
export interface InFlight {
  run<Result>(id: string, task: () => Promise<Result>): Promise<Result>
  /** Resolves when no task of that id is in flight, also if one failed. */
  settled(id: string): Promise<void>
  allSettled(): Promise<void>
}

export function createInFlight(): InFlight {
  const tasks = new Map<string, Set<Promise<unknown>>>()

  async function settled(id: string): Promise<void> {
    for (let same = tasks.get(id); same; same = tasks.get(id)) await Promise.allSettled(same)
  }

  return {
    settled,
    run(id, task) {
      const same = tasks.get(id) ?? new Set()
      const running = task().finally(() => {
        same.delete(running)
        if (same.size === 0) tasks.delete(id)
      })
      tasks.set(id, same.add(running))
      return running
    },
    async allSettled() {
      await Promise.all([...tasks.keys()].map(settled))
    },
  }
}
