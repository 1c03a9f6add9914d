/**
 * What has to change on each side so that a person and an agent have the same branches, HEAD and index again. What both have
 * changed in different ways stays as it is on each side. Pure.
 */
import type { Difference, Differences, IndexChange } from './differences.ts'
import { utf8 } from './run-script.ts'

export interface RefChange extends Difference {
  readonly name: string
}

/** The changes of one side. */
export interface Changes {
  readonly refs: readonly RefChange[]
  /** `undefined`: it stays. */
  readonly head: string | undefined
  readonly index: readonly IndexChange[]
  /** A command that was in progress is finished on the other side. */
  readonly isFinished: boolean
}

export interface ThreeWay {
  readonly toPerson: Changes
  readonly toAgent: Changes
  /** What stays different. */
  readonly apart: readonly Apart[]
}

export interface Apart {
  /** A sentence for people. */
  readonly why: string
  /** The agent's branch or tag, with its hash, if it stays apart. */
  readonly ref?: { readonly name: string; readonly hash: string }
}

export interface Sides {
  /** HEAD when both were last equal. */
  readonly head: string
  /** The command that was in progress then. */
  readonly busy: string | undefined
  readonly person: Differences
  readonly agent: Differences
  /** Branches that other worktrees of the person have checked out, and where. */
  readonly checkedOut: ReadonlyMap<string, string>
  /** What the commits say. Without: nobody has looked yet. */
  readonly facts?: Facts
}

export interface Facts {
  /** Of the branches that both have moved: the side that has all commits of the other. */
  readonly ahead: ReadonlyMap<string, 'person' | 'agent'>
  /** Submodules that the agent's branches and tags add, and a HEAD without a branch. */
  readonly submodules: ReadonlyMap<string, string>
  /** New branches and tags with short names that mean something else, such as a branch of a remote. */
  readonly meant: ReadonlyMap<string, string>
}

const nothing: Changes = { refs: [], head: undefined, index: [], isFinished: false }

export function compare(sides: Sides): ThreeWay {
  const { person, agent } = sides
  if (agent.busy !== undefined && agent.busy !== sides.busy) {
    return waits(
      `Its agent is in the middle of a command of git (${agent.busy}). What it has done comes when that is finished.`,
    )
  }
  if (person.busy !== undefined && person.busy !== sides.busy) {
    return waits(
      `You are in the middle of a command of git (${person.busy}). What its agent has done comes when that is finished.`,
    )
  }
  const refs = compareRefs(sides)
  const head = compareHeads(sides, refs)
  const index = head.areApart ? { toPerson: [], toAgent: [], apart: [] } : compareIndexes(sides)
  return {
    toPerson: {
      refs: refs.toPerson,
      head: head.toPerson,
      index: index.toPerson,
      isFinished: person.busy !== undefined && agent.busy === undefined,
    },
    toAgent: {
      refs: refs.toAgent,
      head: head.toAgent,
      index: index.toAgent,
      isFinished: agent.busy !== undefined && person.busy === undefined,
    },
    apart: [...refs.apart, ...[...head.apart, ...index.apart].map((why) => ({ why }))],
  }
}

export function isEmpty({ refs, head, index, isFinished }: Changes): boolean {
  return refs.length === 0 && head === undefined && index.length === 0 && !isFinished
}

/** What both have once these changes are made. git has refused some refs. */
export interface Agreed {
  readonly head: string
  readonly busy: string | undefined
  /** From what both had before. */
  readonly refs: ReadonlyMap<string, Difference>
  readonly index: ReadonlyMap<string, Difference>
}

export function agree(sides: Sides, { toPerson, toAgent }: ThreeWay, refused: readonly string[]): Agreed {
  const { person, agent } = sides
  const made = [...toPerson.refs, ...toAgent.refs].filter(({ name }) => !refused.includes(name))
  const refs = new Map(made.map(({ name, after }) => [name, after]))
  const index = new Map([...toPerson.index, ...toAgent.index].map(({ key, entry }) => [key, entry]))
  const isFinished = toPerson.isFinished || toAgent.isFinished
  return {
    head: toPerson.head ?? toAgent.head ?? (person.head === agent.head ? person.head : sides.head),
    busy: isFinished ? undefined : person.busy === agent.busy ? person.busy : sides.busy,
    refs: agreedIn(person.refs, agent.refs, refs),
    index: agreedIn(person.index, agent.index, index),
  }
}

function agreedIn(
  person: Differences['refs'],
  agent: Differences['refs'],
  made: ReadonlyMap<string, string | undefined>,
): ReadonlyMap<string, Difference> {
  const agreed = new Map<string, Difference>()
  for (const [key, difference] of [...person, ...agent]) {
    if (made.has(key)) agreed.set(key, { before: difference.before, after: made.get(key) })
    else if (isEqual(person.get(key), agent.get(key))) agreed.set(key, difference)
  }
  return agreed
}

function waits(why: string): ThreeWay {
  return { toPerson: nothing, toAgent: nothing, apart: [{ why }] }
}

interface RefChanges {
  readonly toPerson: readonly RefChange[]
  readonly toAgent: readonly RefChange[]
  readonly apart: readonly Apart[]
}

function compareRefs(sides: Sides): RefChanges {
  const { person, agent } = sides
  const apart: Apart[] = []
  const toPerson: RefChange[] = []
  const toAgent: RefChange[] = []
  for (const [name, { before, after }] of person.refs) {
    const own = agent.refs.get(name)
    const isKept = own === undefined || isDeleted(own) || !isOfAgent(name)
    if (!isKept || (own && own.after === after)) continue
    // git cannot delete the branch on which it is.
    const isNeeded = after === undefined && agent.head === `ref: ${name}`
    if (!isNeeded) toAgent.push({ name, before: own ? own.after : before, after })
  }
  for (const [name, own] of agent.refs) {
    const theirs = person.refs.get(name)
    if (own.after !== undefined && isStash(name)) {
      apart.push({ why: 'Its agent has stashed changes.', ref: { name, hash: own.after } })
    }
    if (!isOfAgent(name) || own.after === undefined || own.after === theirs?.after) continue
    const ahead = sides.facts?.ahead.get(name)
    if (theirs && ahead === 'person') {
      toAgent.push({ name, before: own.after, after: theirs.after })
      continue
    }
    const isMoved = theirs !== undefined && ahead === undefined
    const obstacle = isMoved ? `${shortOf(name)} has moved on both sides.` : obstacleTo(name, own, sides)
    if (obstacle === undefined) toPerson.push({ name, before: theirs ? theirs.after : own.before, after: own.after })
    else apart.push({ why: obstacle, ref: { name, hash: own.after } })
  }
  return { toPerson, toAgent, apart }
}

/** What an agent deletes, the person keeps. */
function isDeleted({ before, after }: Difference): boolean {
  return before !== undefined && after === undefined
}

/** Of the agent's, only branches and tags come back. Remote branches come from remotes. */
function isOfAgent(name: string): boolean {
  return /^refs\/(heads|tags)\//.test(name)
}

/** Files of the person may be in it. */
function isStash(name: string): boolean {
  return name.startsWith('refs/stash/')
}

/** A shell, or a prompt that shows the branch, must not read a name differently. */
function isPlain(name: string): boolean {
  return /^refs\/(heads|tags)\/[\p{L}\p{N}_][\p{L}\p{N}._/@+=,#%-]*$/u.test(utf8(name))
}

function obstacleTo(name: string, { before }: Difference, { checkedOut, facts }: Sides): string | undefined {
  const place = checkedOut.get(name)
  if (place !== undefined) return `${shortOf(name)} is checked out in ${place}.`
  if (!isPlain(name)) return `The name ${JSON.stringify(shortOf(name))} could be a command in a shell.`
  if (before !== undefined && name.startsWith('refs/tags/')) return `Its agent has moved the tag ${shortOf(name)}.`
  const meant = facts?.meant.get(name)
  if (meant !== undefined) return `The name ${shortOf(name)} would no longer mean ${meant}.`
  const path = facts?.submodules.get(name)
  // For a submodule, git outside reads settings that the agent can write.
  return path === undefined ? undefined : `${shortOf(name)} adds the submodule ${JSON.stringify(path)}.`
}

interface HeadChange {
  readonly toPerson: string | undefined
  readonly toAgent: string | undefined
  readonly apart: readonly string[]
  /** An index belongs to its HEAD. Where HEAD stays different, so does the index. */
  readonly areApart: boolean
}

function compareHeads({ head, person, agent, checkedOut, facts }: Sides, refs: RefChanges): HeadChange {
  const same = { toPerson: undefined, toAgent: undefined, apart: [], areApart: false }
  const different = (why: string) => ({ ...same, apart: [why], areApart: true })
  if (person.head === '' || agent.head === '') return different('Its HEAD cannot be read.')
  const branch = branchOf(agent.head)
  const isMovedApart = branch !== undefined && isApart(branch, { person, agent }, refs)
  // Where the sentence about the branch says it already.
  if (isMovedApart) return { ...same, areApart: true }
  if (agent.head === person.head) return same
  if (agent.head === head) return { ...same, toAgent: person.head }
  if (person.head !== head) {
    return different(
      `You and its agent have checked out different branches: ${shown(person.head)} and ${shown(agent.head)}.`,
    )
  }
  if (branch !== undefined && !(branch.startsWith('refs/heads/') && isPlain(branch))) {
    return different(
      `Its agent has set HEAD to ${JSON.stringify(branch)}, which is not a branch, or could be a command in a shell.`,
    )
  }
  const submodule = branch === undefined ? facts?.submodules.get('HEAD') : undefined
  if (submodule !== undefined) return different(`Its HEAD adds the submodule ${JSON.stringify(submodule)}.`)
  const place = branch === undefined ? undefined : checkedOut.get(branch)
  if (place !== undefined)
    return different(`Its agent works on ${shown(agent.head)}, which you have checked out in ${place}.`)
  return { ...same, toPerson: agent.head }
}

/** Whether a branch has another commit on each side, and keeps it. */
function isApart(name: string, { person, agent }: Pick<Sides, 'person' | 'agent'>, refs: RefChanges): boolean {
  const own = agent.refs.get(name)
  const theirs = person.refs.get(name)
  if (own?.after === theirs?.after && (own === undefined) === (theirs === undefined)) return false
  if (own !== undefined && isDeleted(own)) return false
  return ![...refs.toPerson, ...refs.toAgent].some((change) => change.name === name)
}

function compareIndexes({ person, agent }: Sides) {
  const toPerson: IndexChange[] = []
  const toAgent: IndexChange[] = []
  let areBothChanged = false
  const paths = (differences: Differences) => new Set([...differences.index.keys()].map(pathOf))
  const [theirs, own] = [paths(person), paths(agent)]
  const isAdded = (entry: Difference) => isSubmodule(entry.after) && !isSubmodule(entry.before)
  const added = [...agent.index].filter(([, entry]) => isAdded(entry))
  for (const [key, entry] of agent.index) {
    if (isAdded(entry)) continue
    const { after } = entry
    if (!theirs.has(pathOf(key))) toPerson.push({ key, entry: after })
    else if (!isEqual(person.index.get(key), agent.index.get(key))) areBothChanged = true
  }
  for (const [key, { after }] of person.index) {
    if (!own.has(pathOf(key))) toAgent.push({ key, entry: after })
    else if (!isEqual(person.index.get(key), agent.index.get(key))) areBothChanged = true
  }
  const apart = added.map(([key]) => `Its agent has added the submodule ${JSON.stringify(pathOf(key))} to the index.`)
  if (areBothChanged) apart.push('You and its agent have added different versions of a file to the index.')
  return { toPerson, toAgent, apart }
}

function isSubmodule(entry: string | undefined): boolean {
  return entry?.startsWith('160000') === true
}

function isEqual(one: Difference | undefined, other: Difference | undefined): boolean {
  return one !== undefined && other !== undefined && one.after === other.after
}

function pathOf(key: string): string {
  return key.slice(2)
}

export function branchOf(head: string): string | undefined {
  return head.startsWith('ref: ') ? head.slice(5) : undefined
}

function shown(head: string): string {
  return shortOf(branchOf(head) ?? head.slice(0, 12))
}

function shortOf(name: string): string {
  return name.replace(/^refs\/(heads|tags)\//, '')
}
