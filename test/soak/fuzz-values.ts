/** Random JSON from a seed: values that follow a JSON Schema, and values that are likely to cause errors. */

export interface Dice {
  /** A fraction below 1. */
  next(): number
  below(limit: number): number
  chance(probability: number): boolean
  pick<Value>(values: readonly Value[]): Value
}

/** mulberry32 */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, chance: (probability) => next() < probability, pick: (values) => values[below(values.length)]! }
}

const keys = ['name', 'id', 'uri', 'cursor', 'type', 'text', '_meta', 'constructor', 'toString', '', 'x-unknown', '0']

const oddValues: readonly ((dice: Dice) => unknown)[] = [
  () => null,
  (dice) => dice.chance(0.5),
  (dice) => dice.pick([0, -0, -1, 1.5, 1e308, 5e-324, 2 ** 31, 2 ** 53 - 1, -(2 ** 63), 1e21]),
  (dice) =>
    dice.pick(['', ' ', '-1', '0x1', '1e3', 'NaN', '__proto__', '../../etc/passwd', 'file:///', 'a{b}{', '%00%zz']),
  () => '\u0000\u0007\u001b[2J\u001b]0;x\u0007\u202e\r\n',
  () => '\ud800 alone \udfff',
  () => '𝕏é́\u200b\ufeff'.repeat(20),
  (dice) => 'x'.repeat(2 ** dice.below(dice.chance(0.1) ? 23 : 16)),
  (dice) => '([a-z]+)+$*{{{"\'`\\'.repeat(1 + dice.below(200)),
  (dice) => nested(dice.pick([5, 60, 99, 101, 1_000]), dice.chance(0.5)),
  (dice) => Array.from({ length: 2 ** dice.below(13) }, (_, index) => index),
  (dice) => Object.fromEntries(Array.from({ length: 2 ** dice.below(12) }, (_, index) => [`key ${index}`, index])),
  () => JSON.parse('{"toString": 1, "valueOf": 1, "then": 1}') as unknown,
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}') as unknown,
  () => [],
  () => ({}),
  () => [[], {}, null, 'text', 1],
]

/** A value of an unexpected kind. */
export function odd(dice: Dice): unknown {
  return dice.pick(oddValues)(dice)
}

function nested(depth: number, asObject: boolean): unknown {
  let value: unknown = 'bottom'
  for (let level = 0; level < depth; level++) value = asObject ? { in: value } : [value]
  return value
}

type Schema = Readonly<Record<string, unknown>>

/** A value that follows the schema closely enough to get past most checks. `words` are names that exist. */
export function sample(dice: Dice, schema: Schema, words: readonly string[], depth = 0): unknown {
  const choices = schema['anyOf'] ?? schema['oneOf'] ?? schema['enum']
  if (Array.isArray(choices) && choices.length > 0) {
    const choice = dice.pick(choices as readonly unknown[])
    return 'enum' in schema ? choice : sample(dice, choice as Schema, words, depth)
  }
  if ('const' in schema) return schema['const']
  switch (schema['type']) {
    case 'boolean':
      return dice.chance(0.5)
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? 0) + dice.below(5)
    case 'array':
      return Array.from({ length: dice.below(4) }, () =>
        sample(dice, (schema['items'] ?? {}) as Schema, words, depth + 1),
      )
    case 'object': {
      const required = (schema['required'] ?? []) as readonly string[]
      const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>)
      const chosen = properties.filter(([key]) => required.includes(key) || (depth < 6 && dice.chance(0.4)))
      return Object.fromEntries(chosen.map(([key, of]) => [key, sample(dice, of, words, depth + 1)]))
    }
    default:
      return dice.pick(words)
  }
}

/** A copy of the value with a mistake at one random place. */
export function mutate(dice: Dice, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || dice.chance(0.15)) return odd(dice)
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as readonly unknown[])]
    const at = dice.below(copy.length + 1)
    copy[at] = mutate(dice, copy[at])
    return copy
  }
  const entries = Object.entries(value)
  const at = dice.below(entries.length + 1)
  const [key, old] = entries[at] ?? [dice.pick(keys), undefined]
  const kept = Object.fromEntries(entries.filter(([other]) => other !== key))
  return dice.chance(0.15) ? kept : { ...kept, [key]: mutate(dice, old) }
}

/** Text that is almost JSON: cut, repeated, or with a byte changed. */
export function spoil(dice: Dice, text: string): string {
  const at = dice.below(text.length + 1)
  return dice.pick([
    () => text.slice(0, at),
    () => text + text,
    () => text.slice(0, at) + dice.pick(['\u0000', '"', '}', '\ud800', '\n', '9'.repeat(400), '\\u']) + text.slice(at),
    () => `${'['.repeat(dice.below(50_000))}${text}`,
    () => text.replace(/"id":[^,}]*/, '"id":1,"id":{}'),
  ])()
}
