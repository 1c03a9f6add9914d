/** Counters and gauges in the Prometheus text format. Parts that register the same name share it. */
export interface Metrics {
  counter(name: string, help: string, labels: readonly string[]): Counter
  /** `read` is called for each `text()`. Gauges of one name add up. */
  gauge(name: string, help: string, read: () => number): void
  text(): string
}

export interface Counter {
  /** Takes one value per label, in the order of the labels. */
  add(...values: readonly string[]): void
  addMany(count: number, ...values: readonly string[]): void
}

export function createMetrics(): Metrics {
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, (() => number)[]>()
  const sections: (() => string)[] = []
  const section = (name: string, help: string, type: string, lines: () => readonly string[]) =>
    sections.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join('\n'))

  function createCounter(name: string, help: string, labels: readonly string[]): Counter {
    const counts = new Map<string, number>()
    section(name, help, 'counter', () =>
      [...counts].map(([key, count]) => `${name}${format(labels, key.split(separator))} ${count}`),
    )
    const addMany: Counter['addMany'] = (count, ...values) => {
      const key = values.join(separator)
      counts.set(key, (counts.get(key) ?? 0) + count)
    }
    return { add: (...values) => addMany(1, ...values), addMany }
  }

  return {
    counter(name, help, labels) {
      const counter = counters.get(name) ?? createCounter(name, help, labels)
      counters.set(name, counter)
      return counter
    },
    gauge(name, help, read) {
      const known = gauges.get(name)
      if (known) return void known.push(read)
      const readers = [read]
      gauges.set(name, readers)
      section(name, help, 'gauge', () => [`${name} ${readers.reduce((sum, each) => sum + each(), 0)}`])
    },
    text: () => `${sections.map((section) => section()).join('\n')}\n`,
  }
}

const separator = '\0'

function format(names: readonly string[], values: readonly string[]): string {
  const pairs = names.map((name, index) => `${name}="${values[index]?.replaceAll(/[\\"\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
