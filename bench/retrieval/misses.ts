/** Questions of the tuning half whose best answer is not the first file, for those who work on the ranking. */
import type { SystemResults } from './measure.ts'

export function printMisses(results: readonly SystemResults[]): void {
  for (const { name, answers } of results) {
    for (const { question, ranked, scores } of answers) {
      if (question.half !== 'tune' || scores.reciprocalRank === 1) continue
      const files = [...new Set(ranked)]
      const places = question.gold.map((path) => `${path} (${placeOf(files, path)})`)
      console.log(`\n${name} · ${question.repository} · ${question.question}\n  want ${places.join(', ')}`)
      for (const path of files.slice(0, 4)) console.log(`  ${path}`)
    }
  }
}

function placeOf(files: readonly string[], path: string): string {
  const index = files.indexOf(path)
  return index < 0 ? 'not found' : `place ${index + 1}`
}
