/** How good a ranking of files is, given the files that answer the question. */

export interface Scores {
  readonly recall1: number
  readonly recall5: number
  readonly recall10: number
  readonly reciprocalRank: number
  readonly ndcg10: number
}

/** Only the first ten files count. Every file that answers counts the same. */
const depth = 10

export function scoresOf(ranked: readonly string[], gold: readonly string[]): Scores {
  const top = [...new Set(ranked)].slice(0, depth)
  const first = top.findIndex((path) => gold.includes(path))
  return {
    recall1: recall(top.slice(0, 1), gold),
    recall5: recall(top.slice(0, 5), gold),
    recall10: recall(top, gold),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    ndcg10: gain(top.map((path) => gold.includes(path))) / gain(gold.slice(0, depth).map(() => true)),
  }
}

export function meanScores(scores: readonly Scores[]): Scores {
  const mean = (field: keyof Scores) => scores.reduce((sum, each) => sum + each[field], 0) / scores.length
  return {
    recall1: mean('recall1'),
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    reciprocalRank: mean('reciprocalRank'),
    ndcg10: mean('ndcg10'),
  }
}

function recall(top: readonly string[], gold: readonly string[]): number {
  return gold.filter((path) => top.includes(path)).length / gold.length
}

function gain(hits: readonly boolean[]): number {
  return hits.reduce((sum, hit, index) => sum + (hit ? 1 / Math.log2(index + 2) : 0), 0)
}
