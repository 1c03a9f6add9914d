/** What the hub writes for git, from what git said about both sides. Pure. */
import { isHash, parseDifferences, toIndexInfo, toListings } from './differences.ts'
import type { Agreed, Apart, Changes, Facts, Sides } from './three-way.ts'
import { agree, compare, isEmpty } from './three-way.ts'

export interface PlanQuestion {
  /** The name of the session. */
  readonly session: string
  /** What the script `look` printed. */
  readonly looked: string
  /** What the script `inspect` printed. Without: nobody has looked yet. */
  readonly facts?: string
  /** The refs that git did not change as planned. */
  readonly refused?: readonly string[]
  /** The refs that keep what stays apart, each with its hash. */
  readonly kept: readonly (readonly [string, string])[]
}

/** Files for a script, by name. */
export type Input = Readonly<Record<string, string>>

export interface Plan {
  /** For the script `inspect`. `undefined`: there is nothing to look at. */
  readonly asked: Input | undefined
  /** For the script `change`. `undefined`: nothing changes on this side. */
  readonly toPerson: Input | undefined
  readonly toAgent: Input | undefined
  /** For the script `save`: what both have then. `undefined`: the same as before. */
  readonly agreed: Input | undefined
  /** The refs of `toPerson` that keep what stays apart. */
  readonly more: readonly Kept[]
  /** Sentences about what stays different, for people. */
  readonly said: readonly string[]
}

/** A ref of the person's repository that holds what stays apart, so that it is not lost with the session. */
export interface Kept {
  readonly name: string
  readonly after: string
}

/** Each is a ref in the repository of a person, and an agent can make any number of branches. */
const mostKept = 1_000

export function plan({ session, looked, facts, refused = [], kept }: PlanQuestion): Plan {
  const sides = sidesIn(looked)
  const changes = compare(facts === undefined ? sides : { ...sides, facts: parseFacts(facts) })
  const { toPerson, toAgent, apart } = changes
  const known = new Map(kept)
  const keep = new Set(apart.flatMap(({ ref }) => ref ?? []).slice(0, mostKept))
  const more = [...keep]
    .map(({ name, hash }) => ({ name: keptName(session, name), after: hash }))
    .filter((ref) => known.get(ref.name) !== ref.after)
  return {
    asked: facts === undefined ? asked(sides, { toPerson, apart }) : undefined,
    toPerson: isEmpty(toPerson) && more.length === 0 ? undefined : inputOf(toPerson, more),
    // The agent has the person's objects already.
    toAgent: isEmpty(toAgent) ? undefined : { ...inputOf(toAgent, []), objects: '' },
    agreed: toNotes(agree(sides, changes, refused), sides),
    more,
    said: shorten(
      apart.map(({ why, ref }) => {
        const isKept = ref !== undefined && keep.has(ref)
        return isKept ? `${why} What its agent has is kept as ${keptName(session, ref.name)}.` : why
      }),
    ),
  }
}

function toNotes({ head, busy, refs, index }: Agreed, before: Sides): Input | undefined {
  if (refs.size === 0 && index.size === 0 && head === before.head && busy === before.busy) return undefined
  return { ...toListings('refs', refs), ...toListings('index', index), head: `${head}\n${busy ?? ''}\n` }
}

function sidesIn(looked: string): Sides {
  const [person = '', agent = '', both = '', elsewhere = ''] = looked.split('\x1e')
  const [head = '', busy = ''] = both.split('\n')
  return {
    head,
    busy: busy === '' ? undefined : busy,
    person: parseDifferences(person),
    agent: parseDifferences(agent),
    checkedOut: checkedOutIn(elsewhere),
  }
}

function asked(
  { person, agent }: Sides,
  { toPerson, apart }: { readonly toPerson: Changes; readonly apart: readonly Apart[] },
): Input | undefined {
  const detached = toPerson.head !== undefined && isHash(agent.head) ? [{ name: 'HEAD', after: agent.head }] : []
  const moved = apart.flatMap(({ ref }) => (ref ? [{ name: ref.name, after: ref.hash }] : []))
  const refs = [...toPerson.refs, ...moved, ...detached]
  if (refs.length === 0) return undefined
  return {
    objects: lines(refs.flatMap(({ after }) => after ?? [])),
    refs: lines(refs.map(({ name, after }) => `${name} ${after} ${person.refs.get(name)?.after ?? ''}`.trimEnd())),
  }
}

function keptName(session: string, ref: string): string {
  const quoted = encodeURIComponent(ref.slice('refs/'.length)).replaceAll('%2F', '/')
  return `refs/signalbox/${encodeURIComponent(session)}/${quoted.replaceAll(/[!'()*]/g, '_')}`
}

function inputOf({ refs, head, index, isFinished }: Changes, kept: readonly Kept[]): Input {
  // Those of the refs are there since somebody has looked at them.
  const objects = [
    head,
    // A submodule's commit is in another repository.
    ...index.map(({ entry }) => (entry?.startsWith('160000') === true ? undefined : entry?.split(' ')[1])),
  ].filter(isHash)
  return {
    objects: lines(new Set(objects)),
    refs: lines([...refs.map(toCommand), ...kept.map(({ name, after }) => `update ${name} ${after}`)]),
    head: head === undefined ? '' : `${head}\n`,
    index: toIndexInfo(index),
    ...(isFinished && { finished: '' }),
  }
}

/** For `update-ref --stdin`. */
function toCommand({ name, before, after }: Changes['refs'][number]): string {
  if (after === undefined) return `delete ${name} ${before ?? ''}`.trimEnd()
  return before === undefined ? `create ${name} ${after}` : `update ${name} ${after} ${before}`
}

function lines(texts: Iterable<string>): string {
  return [...texts].map((text) => `${text}\n`).join('')
}

function checkedOutIn(answer: string): ReadonlyMap<string, string> {
  return new Map(
    answer.split('\n').flatMap((line) => {
      const at = line.indexOf(' ')
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1).replace(/\/\.git$/, '')] as const]
    }),
  )
}

function parseFacts(answer: string): Facts {
  const said = answer.split('\n').map((line) => line.split(' '))
  const ahead = said.flatMap(([fact, name = '']) =>
    fact === 'agent' || fact === 'person' ? [[name, fact] as const] : [],
  )
  const aboutNames = (kind: string) =>
    new Map(said.flatMap(([fact, name = '', ...rest]) => (fact === kind ? [[name, rest.join(' ')] as const] : [])))
  return { ahead: new Map(ahead), submodules: aboutNames('submodule'), meant: aboutNames('meant') }
}

const shownSentences = 4
const shownCharacters = 300

/** An agent can make many branches, with long names. */
export function shorten(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - shownSentences
  const first = sentences.slice(0, shownSentences)
  const short = first.map((each) => (each.length > shownCharacters ? `${each.slice(0, shownCharacters)}…` : each))
  return more > 0 ? [...short, `The same holds for ${more} more.`] : short
}
