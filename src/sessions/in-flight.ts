/** The tasks in flight, by id, so that others can wait for them. */
export interface InFlight {
  run<Result>(id: string, task: () => Promise<Result>): Promise<Result>
  /** Resolves when no task of that id is in flight, also if one failed. */
  settled(id: string): Promise<void>
  allSettled(): Promise<void>
}

export function createInFlight(): InFlight {
  const tasks = new Map<string, Promise<unknown>>()

  async function settled(id: string): Promise<void> {
    for (let task = tasks.get(id); task; task = tasks.get(id)) await task.catch(() => {})
  }

  return {
    settled,
    run(id, task) {
      const running = task().finally(() => {
        if (tasks.get(id) === running) tasks.delete(id)
      })
      tasks.set(id, running)
      return running
    },
    async allSettled() {
      await Promise.all([...tasks.keys()].map(settled))
    },
  }
}
