/**
 * What has to change on each side so that a person and an agent see the same branches, HEAD and index again. `base` is what
 * both had when they were last equal. What both have changed in different ways stays as it is on each side. Pure.
 */
import type { IndexChange, IndexEntries, Refs, Snapshot } from './snapshot.ts'

export interface RefChange {
  readonly name: string
  /** `undefined`: it is new. */
  readonly before: string | undefined
  /** `undefined`: it goes. */
  readonly after: string | undefined
}

export interface Change {
  readonly refs: readonly RefChange[]
  readonly head: string | undefined
  readonly index: readonly IndexChange[]
}

export interface ThreeWay {
  readonly toPerson: Change
  readonly toAgent: Change
  /** Sentences about what stays different, for people. */
  readonly apart: readonly string[]
}

export interface Sides {
  readonly base: Snapshot
  readonly person: Snapshot
  readonly agent: Snapshot
  /** Branches that other work trees of the person have checked out, and where. */
  readonly checkedOut: ReadonlyMap<string, string>
  /** Branches that this session has made. */
  readonly made: ReadonlySet<string>
}

/** Of the agent's, only branches and tags come back. Remote branches come from remotes. */
const agentsRefs = /^refs\/(heads|tags)\//

/** A shell, or a prompt that shows the branch, must not read a name differently. */
const plainName = /^refs\/[a-z]+\/[\p{L}\p{N}_][\p{L}\p{N}._/@+=,#%-]*$/u

export function compare({ base, person, agent, checkedOut, made }: Sides): ThreeWay {
  const apart: string[] = []
  const toPerson: RefChange[] = []
  const toAgent: RefChange[] = []
  for (const name of new Set([...base.refs.keys(), ...person.refs.keys(), ...agent.refs.keys()])) {
    const [before, theirs, own] = [base.refs.get(name), person.refs.get(name), agent.refs.get(name)]
    if (theirs === own) continue
    if (own === before || !agentsRefs.test(name)) {
      if (theirs !== before) toAgent.push({ name, before: own, after: theirs })
      continue
    }
    const obstacle = obstacleTo(name, own, { isMoved: theirs !== before, checkedOut, made })
    if (obstacle === undefined) toPerson.push({ name, before: theirs, after: own })
    else apart.push(obstacle)
  }
  const isKept = (change: RefChange[], head: string, refs: Refs) => {
    const name = branchOf(head)
    return name === undefined || refs.has(name) || change.some((each) => each.name === name) || refs.size === 0
  }
  const wanted = { person: '', agent: '' }
  if (agent.head !== person.head) {
    if (agent.head === base.head) wanted.agent = person.head
    else if (person.head !== base.head) apart.push(`You and its agent have checked out different branches (${shown(person.head)}, ${shown(agent.head)}).`)
    else wanted.person = agent.head
  }
  const elsewhere = checkedOut.get(branchOf(wanted.person) ?? '')
  if (elsewhere !== undefined || !isKept(toPerson, wanted.person, person.refs)) {
    apart.push(`Its agent works on ${shown(wanted.person)}, which stays in the session.`)
    wanted.person = ''
  }
  // An index belongs to its HEAD. Where HEAD stays different, so does the index.
  const isHeadEqual = agent.head === person.head || wanted.person !== '' || wanted.agent !== ''
  const index = isHeadEqual ? compareIndexes(base.index, person.index, agent.index) : noIndexChanges
  if (index.areBothChanged) apart.push('You and its agent have both changed the index (git add).')
  return {
    toPerson: { refs: toPerson, head: wanted.person || undefined, index: index.toPerson },
    toAgent: { refs: toAgent, head: wanted.agent || undefined, index: index.toAgent },
    apart,
  }
}

function obstacleTo(
  name: string,
  own: string | undefined,
  { isMoved, checkedOut, made }: Pick<Sides, 'checkedOut' | 'made'> & { readonly isMoved: boolean },
): string | undefined {
  if (isMoved) return `${shortOf(name)} has moved on both sides. What its agent has done there stays in the session.`
  if (own === undefined && !made.has(name)) return `Its agent has deleted ${shortOf(name)}. You still have it.`
  const place = checkedOut.get(name)
  if (place !== undefined) return `${shortOf(name)} is checked out in ${place}, so what its agent has done there stays in the session.`
  if (!plainName.test(name)) return `The name ${JSON.stringify(shortOf(name))} could be a command in a shell, so the branch stays in the session.`
  return undefined
}

const noIndexChanges = { toPerson: [], toAgent: [], areBothChanged: false }

function compareIndexes(base: IndexEntries, person: IndexEntries, agent: IndexEntries) {
  const differ = changesBetween(person, agent)
  if (differ.length === 0) return noIndexChanges
  if (changesBetween(base, person).length === 0) return { ...noIndexChanges, toPerson: differ }
  if (changesBetween(base, agent).length === 0) return { ...noIndexChanges, toAgent: changesBetween(agent, person) }
  return { ...noIndexChanges, areBothChanged: true }
}

function changesBetween(from: IndexEntries, to: IndexEntries): readonly IndexChange[] {
  const gone = [...from.keys()].filter((key) => !to.has(key))
  const set = [...to].filter(([key, entry]) => from.get(key) !== entry)
  // Removing a path removes its stages, also those that stay.
  const paths = new Set(gone.map((key) => key.slice(2)))
  const again = [...to].filter(([key, entry]) => from.get(key) === entry && paths.has(key.slice(2)))
  return [
    ...gone.map((key) => ({ key, entry: undefined })),
    ...[...set, ...again].map(([key, entry]) => ({ key, entry })),
  ]
}

function branchOf(head: string): string | undefined {
  return head.startsWith('ref: ') ? head.slice(5) : undefined
}

function shown(head: string): string {
  return shortOf(branchOf(head) ?? head.slice(0, 12))
}

function shortOf(name: string): string {
  return name.replace(/^refs\/(heads|tags)\//, '')
}
