/**
 * Orders the results of the word search. A file that matches as a whole, or with several chunks, comes before one with
 * a single good chunk. A definition that is named in the question comes first. Tests, documents and examples come
 * later, unless they are asked for. One file does not take all places.
 */
import { partsOf, stem } from '../text/tokens.ts'
import type { Candidate } from './candidate.ts'
import type { LexicalQuery } from './lexical-query.ts'

/** A definition whose whole name is in the question is worth this much more. */
const definitionBoost = 0.2
/** How much the other chunks of a file add to its best one. */
const otherChunks = 0.15
const maxOtherChunks = 4
/** Each further chunk of the same file counts half of the one before. */
const sameFile = 0.5

interface Kind {
  readonly path: RegExp
  /** The stems of words in a question that ask for this kind of file. */
  readonly words: ReadonlySet<string>
  /** Questions that ask for this kind without such a word. */
  readonly questions?: RegExp
  readonly factor: number
}

const kinds: readonly Kind[] = [
  {
    path: /(^|\/)(tests?|__tests__|__mocks__|spec|specs|testing|fixtures?|testdata|e2e)\/|(^|\/)(test_[^/]+|conftest)\.py$|[._-](test|tests|spec|e2e)\.[^/]+$|_test\.[^/]+$|Tests?\.(java|cs|php)$/,
    words: stems('test tests testing spec specs fixture fixtures mock mocks e2e'),
    factor: 0.4,
  },
  {
    path: /(^|\/)(docs?|documentation|website|changelogs?)\/|\.(md|mdx|markdown|rst|txt|adoc)$|(^|\/)(changelog|changes|history|license|readme)[^/]*$/i,
    words: stems('doc docs document documentation readme guide tutorial changelog license licence'),
    questions:
      /\bhow (can|do|does|should|to)( i| we| you)\b|\bhow to\b|\bshould (i|we)\b|\b(advice|compar|differenc|explain|explanation|introduc|migrat|overview|recommend|upgrad)/i,
    factor: 0.4,
  },
  {
    path: /(^|\/)(examples?|samples?|demos?|benchmarks?|bench|playground|sandbox)\//,
    words: stems('example examples sample samples demo demos benchmark benchmarks bench playground'),
    factor: 0.5,
  },
  {
    path: /(^|\/)(vendor|vendored|third[_-]?party|node_modules|dist|build|out|legacy|compat|deprecated|migrations?|locales?|i18n)\/|\.d\.ts$|\.(json|ya?ml|toml|lock|csv|po)$/,
    words: stems(
      'vendor vendored build dist legacy compat compatibility deprecated migration migrations locale json yaml toml',
    ),
    factor: 0.7,
  },
]

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(' ').map(stem))
}

const generatedFactor = 0.3

export function rank(candidates: readonly Candidate[], query: LexicalQuery, limit: number): readonly Candidate[] {
  const asked = new Set(query.words)
  const boosted = candidates.map((candidate) => ({ ...candidate, score: candidate.score * boostOf(candidate, asked) }))
  const byFile = Map.groupBy(boosted, ({ path }) => path)
  const ranked = [...byFile].flatMap(([path, chunks]) =>
    inOneFile(chunks.toSorted(byScore), penaltyOf(path, asked, query.text)),
  )
  return ranked.toSorted(byScore).slice(0, limit)
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.startLine - b.startLine)
}

function inOneFile(chunks: readonly Candidate[], penalty: number): readonly Candidate[] {
  const others = chunks.slice(1, 1 + maxOtherChunks).reduce((sum, { score }) => sum + score, 0)
  return chunks.map((chunk, index) => {
    const score = (chunk.score + otherChunks * others + chunk.documentScore) * penalty * sameFile ** index
    return { ...chunk, score: chunk.isGenerated ? score * generatedFactor : score }
  })
}

function boostOf({ symbol, kind }: Candidate, asked: ReadonlySet<string>): number {
  if (symbol === undefined || kind === 'section') return 1
  return 1 + definitionBoost * shareNamed(symbol.split('.').at(-1)!, asked) ** 2
}

/** The share of the parts of a name that are in the question. */
function shareNamed(name: string, asked: ReadonlySet<string>): number {
  const parts = partsOf(name)
  if (parts.length === 0) return 0
  if (asked.has(parts.join(''))) return 1
  return parts.filter((part) => asked.has(stem(part))).length / parts.length
}

/** Below 1 for tests, documents, examples and the like, unless the question is about them. */
export function penaltyOf(path: string, asked: ReadonlySet<string>, question = ''): number {
  const isAsked = ({ words, questions }: Kind) =>
    words.values().some((word) => asked.has(word)) || questions?.test(question) === true
  return kinds
    .filter((each) => each.path.test(path) && !isAsked(each))
    .reduce((product, { factor }) => product * factor, 1)
}
