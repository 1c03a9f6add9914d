import { expect, test } from 'vitest'
import { meanScores, scoresOf } from '../bench/retrieval/metrics.ts'
import { readQuestions } from '../bench/retrieval/questions.ts'
import { repositories } from '../bench/retrieval/repositories.ts'

test('a ranking with the only answer first has full marks', () => {
  expect(scoresOf(['a', 'b', 'c'], ['a'])).toEqual({
    recall1: 1,
    recall5: 1,
    recall10: 1,
    reciprocalRank: 1,
    ndcg10: 1,
  })
})

test('recall is the share of the answers, and the gain shrinks with the place', () => {
  const scores = scoresOf(['x', 'a', 'y', 'z', 'w', 'b'], ['a', 'b'])
  expect(scores).toMatchObject({ recall1: 0, recall5: 0.5, recall10: 1, reciprocalRank: 0.5 })
  const ideal = 1 / Math.log2(2) + 1 / Math.log2(3)
  expect(scores.ndcg10).toBeCloseTo((1 / Math.log2(3) + 1 / Math.log2(7)) / ideal, 12)
})

test('a file that is found twice takes one place', () => {
  expect(scoresOf(['x', 'x', 'x', 'a'], ['a']).reciprocalRank).toBe(0.5)
})

test('files after the tenth do not count, and nothing found is zero', () => {
  const ten = Array.from({ length: 10 }, (_, index) => `file-${index}`)
  const zero = { recall1: 0, recall5: 0, recall10: 0, reciprocalRank: 0, ndcg10: 0 }
  expect(scoresOf([...ten, 'a'], ['a'])).toEqual(zero)
  expect(scoresOf([], ['a'])).toEqual(zero)
})

test('the mean is over all questions', () => {
  const mean = meanScores([scoresOf(['a'], ['a']), scoresOf(['b'], ['a'])])
  expect(mean).toMatchObject({ recall1: 0.5, ndcg10: 0.5 })
})

test('every repository has questions in both halves, and no question is asked twice', () => {
  const questions = repositories.flatMap(({ name }) => readQuestions(name))
  expect(questions.length).toBeGreaterThanOrEqual(120)
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
  for (const { name } of repositories) {
    const halves = readQuestions(name).map(({ half }) => half)
    expect(halves.filter((half) => half === 'final').length, name).toBe(Math.floor(halves.length / 2))
  }
})
