/** Prints the test files that failed, from the JSON report of vitest. Prints nothing if too much failed to be chance. */
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const mostByChance = 5

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(process.cwd(), name))
if (failed.length <= mostByChance) for (const file of failed) console.log(file)
else console.error(`${failed.length} test files failed, which is more than chance.`)
