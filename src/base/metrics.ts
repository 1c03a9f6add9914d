/** Counters and gauges in the Prometheus text format. */
export interface Metrics {
  counter(name: string, help: string, labels: readonly string[]): Counter
  /** Read when somebody asks. */
  gauge(name: string, help: string, read: () => number): void
  text(): string
}

export interface Counter {
  /** One value for each label, in their order. */
  add(...values: readonly string[]): void
}

export function createMetrics(): Metrics {
  const sections: (() => string)[] = []
  const section = (name: string, help: string, type: string, lines: () => readonly string[]) =>
    sections.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join('\n'))

  return {
    counter(name, help, labels) {
      const counts = new Map<string, number>()
      section(name, help, 'counter', () =>
        [...counts].map(([key, count]) => `${name}${format(labels, key.split(separator))} ${count}`),
      )
      return {
        add(...values) {
          const key = values.join(separator)
          counts.set(key, (counts.get(key) ?? 0) + 1)
        },
      }
    },
    gauge: (name, help, read) => section(name, help, 'gauge', () => [`${name} ${read()}`]),
    text: () => `${sections.map((section) => section()).join('\n')}\n`,
  }
}

const separator = '\0'

function format(names: readonly string[], values: readonly string[]): string {
  const pairs = names.map((name, index) => `${name}="${values[index]?.replaceAll(/[\\"\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
