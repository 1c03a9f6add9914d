/** Says at the end of a test run which tests did not run because a system program is missing, and how to run them. */
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { missingPackage } from './harness/not-run.ts'

export default class ReportNotRun implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const affected = modules.flatMap((module) => {
      const tests = [...module.children.allTests()]
      const packages = tests.map(({ name }) => missingPackage(name)).filter((name) => name !== undefined)
      const skipped = tests.filter((test) => test.result().state === 'skipped').length - packages.length
      return packages.length === 0 ? [] : [{ file: relative(process.cwd(), module.moduleId), packages, skipped }]
    })
    if (affected.length === 0) return
    const packages = [...new Set(affected.flatMap((file) => file.packages))].sort()
    const count = affected.reduce((sum, { skipped }) => sum + skipped, 0)
    console.log(`\n ${count} tests did not run, because programs are missing:`)
    for (const { file, packages: missing, skipped } of affected)
      console.log(`   ${file}: ${skipped} (${missing.join(', ')})`)
    console.log(` To run them, install these Debian packages: ${packages.join(' ')}\n`)
  }
}
