/** Reads lines such as `claude mcp add …`, `codex mcp add …`, `gemini mcp add …`, `mcp add …` and `mcp remove …`. */
import { parse } from 'shell-quote'
import { isRecord } from '../../base/is-record.ts'
import { readFlags } from './command-flags.ts'
import type { Found } from './found.ts'
import { parseJson } from './json.ts'

const verbs: readonly (string | undefined)[] = ['add', 'add-json', 'remove', 'rm']

/** Before `mcp` there may be a prompt, variables, and at most two words. */
export function isCommandLine(text: string): boolean {
  return text.split('\n').some((line) => {
    const words = line.trimStart().split(/\s+/)
    if (/^[$>]$/.test(words[0] ?? '')) words.shift()
    const command = words.slice(words.findIndex((word) => !/^\w+=/.test(word)))
    const at = command.indexOf('mcp')
    return at >= 0 && at <= 2 && verbs.includes(command[at + 1]) && command.length > at + 2
  })
}

export function readCommandLines(text: string): Found {
  const entries: Found['entries'][number][] = []
  const remove: string[] = []
  const warnings: string[] = []
  for (const words of commandsIn(text)) {
    const at = words.indexOf('mcp')
    const verb = at < 0 || at > 2 ? undefined : words[at + 1]
    const rest = words.slice(at + 2)
    switch (verb) {
      case 'add': {
        const { name, entry, problem } = readFlags(rest)
        if (problem !== undefined) warnings.push(`"mcp add${name === undefined ? '' : ` ${name}`}": ${problem}`)
        else if (name !== undefined) entries.push([name, entry])
        break
      }
      case 'add-json': {
        const [name = '', json = ''] = rest.filter((word) => !word.startsWith('-'))
        const entry = parseJson(json)
        if (isRecord(entry)) entries.push([name, entry])
        break
      }
      case 'remove':
      case 'rm': {
        const name = readFlags(rest).name
        if (name === undefined) warnings.push('"mcp remove" names no server.')
        else remove.push(name)
        break
      }
      default:
        // Quote only the beginning, because the rest of an unknown line may contain a secret.
        warnings.push(
          `The line that begins with "${words[0]?.slice(0, 20)}" is neither an "mcp add" nor an "mcp remove".`,
        )
    }
  }
  return { entries, remove, warnings }
}

/** Splits the text into commands and words. `$VAR` stays a reference, which the hub fills in later. */
function commandsIn(text: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  for (const line of linesIn(text)) {
    commands.push([])
    for (const part of parse(line.replace(/^\s*[$>]\s+/, ''), (variable) => `\${${variable}}`)) {
      if (typeof part === 'string') commands.at(-1)?.push(part)
      else if ('pattern' in part) commands.at(-1)?.push(part.pattern)
      else if ('op' in part) commands.push([])
    }
  }
  return commands
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))))
    .filter((words) => words.length > 0)
}

/** A line continues on the next one if a quote is open or it ends in a backslash. */
function linesIn(text: string): readonly string[] {
  const lines: string[] = []
  let line = ''
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!
    if (character === '\\' && quote !== "'") {
      const next = text[++index] ?? ''
      line += next === '\n' ? ' ' : character + next
    } else if (character === '\n' && quote === '') {
      lines.push(line)
      line = ''
    } else {
      if (character === quote) quote = ''
      else if (quote === '' && (character === '"' || character === "'")) quote = character
      line += character
    }
  }
  return [...lines, line].filter((each) => each.trim() !== '')
}
