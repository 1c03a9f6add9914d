/** `signalbox templates save` */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../base/hub-error.ts'
import { askHub } from './ask-hub.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'
import { hubFlags, jsonFlag } from './common-flags.ts'

const saved = z.object({ path: z.string() })

export const command = defineCommand({
  takes: '<file | ->',
  about: [
    'Gives a template (JSON) to the hub, over an older one of the same name. Files that it includes go with it, if they',
    'stand beside it. "-" reads it from stdin.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox templates save reviewer.json'],
  async run(args, context) {
    const [file = ''] = args.words
    const payload = parse(file === '-' ? await context.readStdin() : await read(file), file)
    const folder = file === '-' ? process.cwd() : dirname(resolve(file))
    const sources = sourcesOf(payload).map((source) => resolve(folder, source))
    // Those that are not here may be at the hub from an earlier time.
    const input = { payload, include_sources: sources.filter((path) => existsSync(path)) }
    const answer = saved.parse(await askHub('save_template', input, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : answer.path)
    return 'ok'
  },
})

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError('failed', `${file} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it is no JSON object' : messageOf(error)
    throw new CliError('usage', `${file === '-' ? 'What stdin gave' : file} is no template: ${why}.`, { cause: error })
  }
}

const includes = z.array(z.union([z.string(), z.looseObject({ source: z.string() })]))

/** Whether they are right is for the hub to say. */
function sourcesOf(payload: Readonly<Record<string, unknown>>): readonly string[] {
  const read = includes.safeParse(payload['include_files'])
  return read.success ? read.data.map((each) => (typeof each === 'string' ? each : each.source)) : []
}
