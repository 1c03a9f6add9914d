import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../test/fixtures/temporary-directory.ts'
import { until } from '../../test/fixtures/until.ts'
import { createLog } from '../base/log.ts'
import { createRedactor } from '../base/redact.ts'
import { createActivity } from './activity.ts'

test('a session whose activity changes without end has few notifications that wait, and the last one is sent', async () => {
  const file = join(temporaryDirectory(), 'sent')
  const activity = createActivity({
    sessions: { report: async () => true },
    hooks: { command: `echo "$SIGNALBOX_WAITING_REASON" >> ${file}`, environment: { PATH: process.env['PATH'] ?? '' } },
    urlOf: (name) => `http://hub/${name}`,
    log: createLog({ level: 'error', redactor: createRedactor() }),
  })
  const since = new Date().toISOString()
  const change = (reason: string) =>
    activity.on!['session-activity-changed']!({
      session: 's1',
      name: 'one',
      activity: { is: 'waiting', reason, since, source: 'agent', confidence: 1 },
    })
  const count = 1_000
  for (let n = 1; n <= count; n++) void change(`question ${n}`)
  const sent = await until(() => {
    const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n')
    return lines.includes(`question ${count}`) && lines
  })
  expect(sent.length).toBeLessThan(100)
  await activity[Symbol.asyncDispose]()
})
