/** Numbers, tokens and money in words. */
import type { Usage } from '../../src/api/thread.ts'

/** `1 file`, `1,200 files` */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? thing : things}`
}

/** `$0.47`; of less than a cent `$0.0042` */
export function dollars(cost: number): string {
  if (cost > 0 && cost < 0.01) return `$${cost.toPrecision(2)}`
  return `$${cost.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** `412`, `6.1k`, `2.3M` */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens)
  if (tokens < 999_950) return `${(tokens / 1_000).toFixed(1)}k`
  return `${(tokens / 1_000_000).toFixed(1)}M`
}

/** The cost or, where it is unknown, the tokens. */
export function spentText({ input_tokens: input, output_tokens: output, cost_usd: cost }: Usage): string {
  return cost === undefined ? `${tokenCount(input + output)} tokens` : dollars(cost)
}
