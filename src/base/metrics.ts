/** Counters and gauges in the Prometheus text format. */
export interface Metrics {
  counter(name: string, help: string): Counter
  /** Read when somebody asks. */
  gauge(name: string, help: string, read: () => number): void
  text(): string
}

export interface Counter {
  add(labels?: Readonly<Record<string, string>>): void
}

export function createMetrics(): Metrics {
  const sections: (() => string)[] = []
  const section = (name: string, help: string, type: string, lines: () => readonly string[]) =>
    sections.push(() => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join('\n'))

  return {
    counter(name, help) {
      const counts = new Map<string, number>()
      section(name, help, 'counter', () => [...counts].map(([labels, count]) => `${name}${labels} ${count}`))
      return {
        add(labels = {}) {
          const key = format(labels)
          counts.set(key, (counts.get(key) ?? 0) + 1)
        },
      }
    },
    gauge: (name, help, read) => section(name, help, 'gauge', () => [`${name} ${read()}`]),
    text: () => `${sections.map((section) => section()).join('\n')}\n`,
  }
}

function format(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, '_')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}
