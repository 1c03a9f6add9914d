/** Templates in two real folders, with programs on their PATH. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { follow } from '../fixtures/follow.ts'
import { createLog } from '../../src/base/log.ts'
import { createRedactor } from '../../src/base/redact.ts'
import { createNotices } from '../../src/mcp/mcp.ts'
import { openTemplates, type Templates } from '../../src/templates/templates.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

export interface OpenedTemplates {
  readonly templates: Templates
  readonly shipped: string
  readonly own: string
  /** The directory on the PATH. */
  readonly programs: string
  /** How many notices subscribers of the templates received. */
  readonly noticeCount: () => number
  readonly log: () => string
  /** Writes a file as a person does with an editor. Returns its path. */
  write(folder: 'shipped' | 'own', name: string, content: object | string): string
}

export async function openTemplatesHere(): Promise<OpenedTemplates> {
  const place = temporaryDirectory()
  const [shipped, own, programs] = ['shipped', 'own', 'programs'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [shipped, own, programs]) mkdirSync(folder)

  function write(folder: 'shipped' | 'own', name: string, content: object | string): string {
    const path = join(folder === 'own' ? own : shipped, `${name}.json`)
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    return path
  }
  write('shipped', 'shell', { name: 'shell' })
  write('shipped', 'robot', { name: 'robot', command: 'robot', args: ['--polite'], install: 'apt install robot' })

  const notices = createNotices()
  let logged = ''
  const log = createLog({
    level: 'debug',
    redactor: createRedactor(),
    destination: { write: (line) => (logged += line) },
  })
  const templates = await openTemplates({
    shippedDirectory: shipped,
    userDirectory: own,
    drivers: ['pty'],
    searchPath: () => programs,
    notices,
    signals: { emit() {} },
    log,
  })
  const received = follow(notices, 'resource://templates')
  onTestFinished(() => templates[Symbol.asyncDispose]())
  return { templates, shipped, own, programs, noticeCount: () => received.length, log: () => logged, write }
}
