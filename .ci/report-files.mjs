/** Prints test files from the JSON report of vitest: `failed`, or those of which a part was `left-out`. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** More failures than this are not by chance, and none is printed. */
const mostByChance = 5

const [, , which, report] = process.argv
const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
const files = testResults.filter(which === 'failed' ? hasFailed : hasLeftOut)
if (which === 'failed' && files.length > mostByChance) {
  console.error(`${files.length} test files failed, which is more than chance.`)
} else {
  for (const { name } of files) console.log(relative(process.cwd(), name))
}

function hasFailed({ status }) {
  return status === 'failed'
}

/** test/harness/not-run.ts */
function hasLeftOut({ assertionResults }) {
  return assertionResults.some(({ title }) => title.startsWith('not run: '))
}
