/**
 * Imports connectors from the configuration of other programs.
 *
 *   text → drafts → secrets moved to variables → checked → compared with the stored ones → shown → applied, all or nothing
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

export interface Imports {
  /** Changes nothing. */
  plan(text: string, options?: ReadOptions): Promise<ImportPlan>
  apply(plan: ImportPlan): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

export function createImports(deps: {
  readonly registry: Pick<Registry, 'list' | 'change'>
  readonly environment: Environment
}): Imports {
  const { registry, environment } = deps
  return {
    async plan(text, options) {
      const known = new Map((await registry.list()).map(({ connector }) => [connector.name, connector]))
      return planImport(readConnectors(text, options), known, environment)
    },
    async apply({ add, change: changed, remove }) {
      if (add.length + changed.length + remove.length > 0)
        await registry.change([...add, ...changed.map(({ connector }) => connector)], remove)
    },
  }
}

export function planImport(read: Read, known: ReadonlyMap<string, Connector>, environment: Environment): ImportPlan {
  const warnings = [...read.warnings]
  const wanted = new Map<string, Connector>()
  const values = new Map<string, string>()
  for (const draft of read.drafts) {
    const taken = usedByOthers(draft.name, known)
    const connector = toConnector(draft, createVariableBook(environment, values, taken), warnings)
    const other = connector && wanted.get(connector.name)
    if (other && !isDeepStrictEqual(other, connector)) {
      warnings.push(`"${other.name}" stands there twice, and differently; the last one counts.`)
    }
    if (connector) wanted.set(connector.name, connector)
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

function toConnector(draft: Draft, book: VariableBook, warnings: string[]): Connector | undefined {
  try {
    const moved = moveSecrets(draft.name, draft.fields, book)
    const connector = checkConnector(moved.fields)
    warnings.push(...moved.warnings)
    return connector
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    warnings.push(`"${draft.name}" is left out: ${error.message}`)
    return undefined
  }
}

/** `values` holds the variables that this import has assigned so far. They are not visible outside the import. */
function createVariableBook(
  environment: Environment,
  values: Map<string, string>,
  taken: ReadonlySet<string>,
): VariableBook {
  function isFree(variable: string, value: string): boolean {
    if (variable.startsWith('SIGNALBOX_') || variable === 'DATABASE_URL') return false
    const held = environment[variable] ?? values.get(variable)
    return held === undefined ? !taken.has(variable) : held === value
  }
  return {
    choose(wanted, value) {
      const last = wanted.at(-1) ?? 'SECRET'
      const further = Array.from({ length: 1_000 }, (_, index) => `${last}_${index + 2}`)
      const variable = [...wanted, ...further].find((each) => isFree(each, value)) ?? last
      values.set(variable, value)
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
