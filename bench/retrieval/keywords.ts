/** The words of a question that the simple systems look for. */

/** Words that say nothing about code. Leaving them out makes the simple systems better, and the comparison fair. */
const stopWords = new Set(
  `a about after again all also an and any are as at be because been before being between both but by can could did do
  does each else for from get gets had has have here how i if in into is it its itself like made make makes many may me
  more most much no not of off on once one only or other our out over own same should so some such than that the their
  them then there these they this those to too until up used very was we were what when where which while who whom why
  will with without would you your`.split(/\s+/),
)

export function keywordsOf(question: string): readonly string[] {
  return wordsOf(question).filter((word) => word.length > 1 && !stopWords.has(word))
}

export function wordsOf(question: string): readonly string[] {
  return [...new Set(question.toLowerCase().match(/[\p{L}\p{N}_]+/gu))]
}
