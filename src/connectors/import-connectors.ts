/**
 * Imports connectors from the configuration of other programs.
 *
 *   text → drafts → secrets moved to variables → checked → named → compared with the stored ones → shown → applied, all
 *   or nothing
 */
import { isDeepStrictEqual } from 'node:util'
import type { Connector } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import { checkConnector } from './check-connector.ts'
import type { Draft } from './formats/entry.ts'
import type { Read, ReadOptions } from './formats/read.ts'
import { readConnectors } from './formats/read.ts'
import type { VariableBook } from './move-secrets.ts'
import { moveSecrets } from './move-secrets.ts'
import type { Registry } from './registry.ts'
import { mapTexts } from './texts/connector-texts.ts'
import { referencesIn } from './texts/references.ts'

export interface ImportPlan {
  readonly add: readonly Connector[]
  readonly change: readonly ChangedConnector[]
  /** The names of connectors to remove. */
  readonly remove: readonly string[]
  /** Variables that must be set before the connectors work. */
  readonly secrets: readonly NeededVariable[]
  readonly warnings: readonly string[]
}

export interface ChangedConnector {
  readonly connector: Connector
  /** The names of the changed fields. */
  readonly fields: readonly string[]
}

export interface NeededVariable {
  readonly connector: string
  readonly variable: string
  readonly how: string
}

/** How an imported connector is named if there is another one of that name. */
export interface Naming {
  /** The program that it comes from. */
  readonly program?: string | undefined
  /** True: changes the other one. */
  readonly isReplacing?: boolean
}

export interface Imports {
  /** Changes nothing. */
  plan(text: string, options?: ReadOptions & Naming): Promise<ImportPlan>
  apply(plan: ImportPlan): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export function createImports(deps: {
  readonly registry: Pick<Registry, 'list' | 'change'>
  readonly environment: Environment
}): Imports {
  const { registry, environment } = deps
  return {
    async plan(text, options = {}) {
      const known = new Map((await registry.list()).map(({ connector }) => [connector.name, connector]))
      return planImport(readConnectors(text, options), known, environment, options)
    },
    async apply({ add, change: changed, remove }) {
      if (add.length + changed.length + remove.length > 0)
        await registry.change([...add, ...changed.map(({ connector }) => connector)], remove)
    },
  }
}

export function planImport(
  read: Read,
  known: ReadonlyMap<string, Connector>,
  environment: Environment,
  naming: Naming = {},
): ImportPlan {
  const warnings = [...read.warnings]
  const wanted = new Map<string, Connector>()
  const values = new Map<string, string>()
  const find = (name: string) => wanted.get(name) ?? known.get(name)
  const mayReplace = (name: string) => naming.isReplacing === true && known.has(name) && !wanted.has(name)
  for (const draft of read.drafts) {
    const attempt = (name: string): Attempt => {
      const own = new Map<string, string>()
      const book = createVariableBook(environment, { values, own }, usedByOthers(name, known))
      return { ...toConnector(withName(draft, name), book), own }
    }
    const chosen = chooseName(draft.name, attempt, { find, mayReplace, program: naming.program })
    warnings.push(...chosen.warnings)
    if (!chosen.connector) continue
    wanted.set(chosen.connector.name, chosen.connector)
    for (const [variable, value] of chosen.own) values.set(variable, value)
  }
  const remove = read.remove.filter((name) => {
    if (!known.has(name)) warnings.push(`There is no connector "${name}" to remove.`)
    return known.has(name)
  })
  const all = [...wanted.values()]
  const add = all.filter(({ name }) => !known.has(name))
  const change = all
    .map((connector) => ({ connector, fields: changedFields(known.get(connector.name), connector) }))
    .filter(({ fields }) => fields.length > 0)
  const described = new Map(read.asked.map(({ variable, description }) => [variable, description]))
  const secrets = [...add, ...change.map(({ connector }) => connector)].flatMap((connector) =>
    neededBy(connector, environment, described),
  )
  return { add, change, remove, secrets, warnings }
}

function changedFields(before: Connector | undefined, after: Connector): readonly string[] {
  if (!before) return []
  const names = Object.keys({ ...before, ...after }) as (keyof Connector)[]
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** The connector that a draft becomes under some name, or the reason why it is left out. */
interface Attempt {
  readonly connector?: Connector
  readonly warnings: readonly string[]
  /** The variables that it assigns, with their values. */
  readonly own: ReadonlyMap<string, string>
}

interface Names {
  /** The connector that has this name now, stored or imported. */
  find(name: string): Connector | undefined
  mayReplace(name: string): boolean
  readonly program: string | undefined
}

/** Two programs may have different servers of one name. Neither replaces the other, unless a person asks for it. */
function chooseName(
  written: string,
  attempt: (name: string) => Attempt,
  { find, mayReplace, program }: Names,
): Attempt {
  const first = attempt(written)
  const other = find(written)
  if (!first.connector || !other || isDeepStrictEqual(other, first.connector)) return first
  const named = program === undefined ? written : withSuffix(written, program)
  const others = Array.from({ length: mostOfOneName }, (_, index) => withSuffix(named, String(index + 2)))
  const names = named === written ? others : [named, ...others]
  for (const name of names) {
    const next = attempt(name)
    const found = find(name)
    if (found && isDeepStrictEqual(found, next.connector)) return next
    if (found) continue
    const replaced = [named, written].find(mayReplace)
    return replaced === undefined
      ? withWarning(next, added(written, name, changedFields(other, first.connector)))
      : attempt(replaced)
  }
  return { own: new Map(), warnings: [`"${written}" is left out: too many connectors have this name.`] }
}

const mostOfOneName = 9

function added(written: string, name: string, differing: readonly string[]): string {
  return (
    `There is another connector "${written}", which differs in ${differing.join(', ')}. This one is added as "${name}". ` +
    'To change the other one instead, import with --replace.'
  )
}

function withWarning(attempt: Attempt, warning: string): Attempt {
  return { ...attempt, warnings: [...attempt.warnings, warning] }
}

function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, 39 - suffix.length)}-${suffix}`
}

function withName(draft: Draft, name: string): Draft {
  return { ...draft, name, fields: { ...draft.fields, name } }
}

function toConnector(draft: Draft, book: VariableBook): Pick<Attempt, 'connector' | 'warnings'> {
  try {
    const moved = moveSecrets(draft.name, draft.fields, book)
    return { connector: checkConnector(moved.fields), warnings: moved.warnings }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return { warnings: [`"${draft.name}" is left out: ${error.message}`] }
  }
}

/** `values` holds the variables that this import has assigned so far, and `own` gets those of one connector. */
function createVariableBook(
  environment: Environment,
  { values, own }: { readonly values: ReadonlyMap<string, string>; readonly own: Map<string, string> },
  taken: ReadonlySet<string>,
): VariableBook {
  function isFree(variable: string, value: string): boolean {
    if (variable.startsWith('SIGNALBOX_') || variable === 'DATABASE_URL') return false
    const held = environment[variable] ?? own.get(variable) ?? values.get(variable)
    return held === undefined ? !taken.has(variable) : held === value
  }
  return {
    choose(wanted, value) {
      const last = wanted.at(-1) ?? 'SECRET'
      const further = Array.from({ length: 1_000 }, (_, index) => `${last}_${index + 2}`)
      const variable = [...wanted, ...further].find((each) => isFree(each, value)) ?? last
      own.set(variable, value)
      return variable
    },
  }
}

function usedByOthers(name: string, known: ReadonlyMap<string, Connector>): ReadonlySet<string> {
  const others = [...known.values()].filter((connector) => connector.name !== name)
  return new Set(others.flatMap(variablesOf))
}

/** Leaves out variables that have a default. */
function variablesOf(connector: Connector): readonly string[] {
  const found = new Set(connector.env_keys)
  mapTexts(connector, (text) => {
    for (const { variable, fallback } of referencesIn(text)) if (fallback === undefined) found.add(variable)
    return text
  })
  return [...found]
}

function neededBy(
  connector: Connector,
  environment: Environment,
  described: ReadonlyMap<string, string>,
): readonly NeededVariable[] {
  return variablesOf(connector)
    .filter((variable) => environment[variable] === undefined)
    .map((variable) => {
      const what = described.get(variable)
      const how = `Set ${variable} in the environment of the hub (export ${variable}=… before "signalbox up") and restart it.`
      return { connector: connector.name, variable, how: what ? `${what}: ${how}` : how }
    })
}
