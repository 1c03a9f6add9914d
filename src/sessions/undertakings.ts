/** What is under way, by id: others wait until it is done instead of getting in its way. */
export interface Undertakings {
  run<Result>(id: string, task: () => Promise<Result>): Promise<Result>
  /** When nothing is under way any more, however it went. */
  settled(id: string): Promise<void>
  allSettled(): Promise<void>
}

export function createUndertakings(): Undertakings {
  const underWay = new Map<string, Promise<unknown>>()

  async function settled(id: string): Promise<void> {
    for (let task = underWay.get(id); task; task = underWay.get(id)) await task.catch(() => {})
  }

  return {
    settled,
    run(id, task) {
      const running = task().finally(() => {
        if (underWay.get(id) === running) underWay.delete(id)
      })
      underWay.set(id, running)
      return running
    },
    async allSettled() {
      await Promise.all([...underWay.keys()].map(settled))
    },
  }
}
