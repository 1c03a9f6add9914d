/** Figures that every benchmark reports: medians, percentiles, and the machine. */
import { cpus } from 'node:os'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The value below which this share of the values is: 0.95 for the 95th percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function machine(): string {
  const processors = cpus()
  return `${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, Node ${process.versions.node}`
}
