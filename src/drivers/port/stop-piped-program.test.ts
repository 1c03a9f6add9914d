import { expect, test } from 'vitest'
import { testPipedPrograms } from '../../../test/fixtures/piped-programs.ts'
import { until } from '../../../test/fixtures/until.ts'
import { stopPipedProgram } from './stop-piped-program.ts'

test('a program is stopped, even if unread output fills its journal', async () => {
  const limits = { segmentBytes: 64 * 1024, maxBytes: 1024 * 1024 }
  const programs = testPipedPrograms(limits)
  const program = await programs.start(`yes | tr -d '\\n'`)
  await until(() => program.offset > limits.maxBytes - limits.segmentBytes)
  await stopPipedProgram(program)
  expect(program.status).toMatchObject({ is: 'exited' })
})
