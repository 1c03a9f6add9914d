import { expect, test } from 'vitest'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import { createRedactor } from '../base/redact.ts'
import { createHttp, listenIfFree } from './http.ts'

const log = createLog({ level: 'error', redactor: createRedactor() })

function createServer() {
  return createHttp({
    rules: { host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] },
    maxBodyBytes: 1024,
    maxIdlePerToken: 1,
    settingNames: { port: 'SIGNALBOX_OTHER_PORT', maxBodyBytes: 'other_bytes' },
    metrics: createMetrics(),
    log,
  })
}

test('a default port that is taken is a warning that says what to set; a chosen one is an error', async () => {
  const [first, second, third] = [createServer(), createServer(), createServer()]
  const port = await first.listen('127.0.0.1', 0)
  const warnings: string[] = []
  const given = { host: '127.0.0.1', port, log: { warn: (_: object, text: string) => void warnings.push(text) } }
  try {
    expect(await listenIfFree(second, { ...given, isChosen: false })).toBeUndefined()
    expect(warnings).toEqual([expect.stringMatching(/another program holds it\. Set SIGNALBOX_OTHER_PORT to/)])
    await expect(listenIfFree(second, { ...given, isChosen: true })).rejects.toThrow('SIGNALBOX_OTHER_PORT')
    expect(await listenIfFree(third, { ...given, port: 0, isChosen: true })).toBeGreaterThan(0)
  } finally {
    await Promise.all([first, second, third].map((server) => server.stop(0)))
  }
})
