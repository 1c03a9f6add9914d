/** `signalbox templates save` */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../base/hub-error.ts'
import { askHub } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'

const saved = z.object({ path: z.string() })

export const command = defineCommand({
  takes: '<file | ->',
  about: [
    'Saves a template (JSON) at the hub and replaces one of the same name. Included files go with it, if they are on this',
    'machine. "-" reads the template from stdin.',
  ].join('\n'),
  flags: { ...hubFlags, ...jsonFlag },
  words: { min: 1, max: 1 },
  examples: ['signalbox templates save reviewer.json'],
  async run(args, context) {
    const [file = ''] = args.words
    const payload = parse(file === '-' ? await context.readStdin() : await read(file), file)
    const folder = file === '-' ? process.cwd() : dirname(resolve(file))
    const sources = sourcesOf(payload).map((source) => resolve(folder, source))
    // The hub may have the other files from an earlier save.
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
    const why = error instanceof z.ZodError ? 'it is not a JSON object' : messageOf(error)
    throw new CliError('usage', `${file === '-' ? 'The text from stdin' : file} is not a template: ${why}.`, {
      cause: error,
    })
  }
}

const includes = z.array(z.union([z.string(), z.looseObject({ source: z.string() })]))

/** The hub checks them. */
function sourcesOf(payload: Readonly<Record<string, unknown>>): readonly string[] {
  const read = includes.safeParse(payload['include_files'])
  return read.success ? read.data.map((each) => (typeof each === 'string' ? each : each.source)) : []
}
