/** `signalbox templates save` */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { askHub } from '../hub-client/ask-hub.ts'
import { CliError } from '../command/cli-error.ts'
import { defineCommand } from '../command/command.ts'
import { hubFlags, jsonFlag } from '../command/common-flags.ts'
import { readInputFile } from '../command/input-file.ts'
import { readJsonObject } from '../command/json-input.ts'

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
    const payload = parse(file === '-' ? await context.readStdin() : await readInputFile(file), file)
    const folder = file === '-' ? process.cwd() : dirname(resolve(file))
    const sources = sourcesOf(payload).map((source) => resolve(folder, source))
    // The hub may have the other files from an earlier save.
    const input = { payload, include_sources: sources.filter((path) => existsSync(path)) }
    const answer = saved.parse(await askHub('save_template', input, args, context))
    context.out(args.has('json') ? JSON.stringify(answer, null, 2) : answer.path)
    return 'ok'
  },
})

function parse(text: string, file: string): Record<string, unknown> {
  const input = readJsonObject(text)
  if (input.is === 'object') return input.value
  const name = file === '-' ? 'The text from stdin' : file
  throw new CliError(
    'usage',
    `${name} is not a template: ${input.fault}. "signalbox templates --json" shows templates.`,
  )
}

const includes = z.array(z.union([z.string(), z.looseObject({ source: z.string() })]))

/** The hub checks them. */
function sourcesOf(payload: Readonly<Record<string, unknown>>): readonly string[] {
  const read = includes.safeParse(payload['include_files'])
  return read.success ? read.data.map((each) => (typeof each === 'string' ? each : each.source)) : []
}
