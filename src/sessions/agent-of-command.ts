/**
 * The agent that a command line starts, as far as its words show: its name or its package, also by a path, behind
 * variables, `env`, `npx` and the like, and inside a shell line. A script, an alias or a function hides it. The terminal
 * shows those when they run.
 */
import { parse } from 'shell-quote'
import type { AgentName } from '../api/template.ts'
import { agentNames } from '../api/template.ts'
import type { CommandLine } from './program.ts'

const packages: Readonly<Record<AgentName, string>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
}

/** Programs that run the program in one of their words. */
const wrappers = new Set(
  'bunx caffeinate chronic command direnv doas env exec firejail ionice mise nice nohup npx op proxychains4 script setsid stdbuf strace sudo systemd-run time timeout unbuffer unshare watch xargs'.split(
    ' ',
  ),
)
/** They do so after one of these words. */
const runners: Readonly<Record<string, RegExp>> = {
  bun: /^(x|run)$/,
  npm: /^(x|exec)$/,
  pnpm: /^(dlx|exec)$/,
  yarn: /^(dlx|exec)$/,
}
const interpreters = new Set(['bun', 'deno', 'node', 'nodejs'])
const shells = new Set(['ash', 'bash', 'dash', 'fish', 'ksh', 'sh', 'zsh'])

/** A longer line, a program with more words, and lines deeper inside lines are not read further. */
const maxCharacters = 10_000
const maxWords = 100
const maxDepth = 4

export function agentOfCommand({ command, args }: CommandLine): AgentName | undefined {
  return args ? agentOfWords([command, ...args], maxDepth) : agentOfLine(command, maxDepth)
}

/** The agent whose program has this name, as the system shows it. */
export function agentOfProgram(name: string): AgentName | undefined {
  return agentNames.find((agent) => agent === name)
}

function agentOfLine(line: string, depth: number): AgentName | undefined {
  if (depth === 0) return undefined
  return firstOf(commandsIn(line.slice(0, maxCharacters)), (words) => agentOfWords(words, depth))
}

function agentOfWords(given: readonly string[], depth: number): AgentName | undefined {
  const from = given.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word))
  const words = from < 0 ? [] : given.slice(from, from + maxWords)
  const [program = '', ...rest] = words
  const name = nameOf(program)
  const runsAt = rest.findIndex((word) => runners[name]?.test(word))
  if (runsAt < 0 && !wrappers.has(name)) return startedBy(words, depth)
  const later = rest.slice(runsAt + 1)
  return firstOf(later, (_, index) => startedBy(later.slice(index), depth))
}

/** By the first word, without looking behind a wrapper. */
function startedBy([program = '', ...rest]: readonly string[], depth: number): AgentName | undefined {
  const name = nameOf(program)
  if (shells.has(name)) {
    const options = rest.findIndex((word) => !/^[-+]/.test(word))
    const isLine = /^-[a-z]*c$/.test(rest[options - 1] ?? '')
    return isLine ? agentOfLine(rest[options]!, depth - 1) : agentNamed(rest[options] ?? '')
  }
  if (interpreters.has(name)) return agentNamed(rest.find((word) => !word.startsWith('-')) ?? '')
  return agentNamed(program)
}

function agentNamed(word: string): AgentName | undefined {
  const isPackage = (agent: AgentName) => {
    const at = word.indexOf(packages[agent])
    return at >= 0 && /^$|[/\\@]/.test(word.charAt(at + packages[agent].length)) && /^$|[/\\]/.test(word.charAt(at - 1))
  }
  return agentOfProgram(nameOf(word)) ?? agentNames.find(isPackage)
}

/** `codex` of `/opt/codex/bin/codex.js`. */
function nameOf(word: string): string {
  const last = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
  return last.replace(/\.(exe|cmd|js|cjs|mjs)$/, '').toLowerCase()
}

/** The simple commands of a shell line. Every operator begins another, also the bracket of a substitution. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (const part of wordsOf(line)) {
    if (typeof part === 'string') {
      if (!isTarget) commands.at(-1)!.push(part)
      isTarget = false
    } else if (part.op === 'redirect') isTarget = true
    else commands.push([])
  }
  return commands
}

const redirections = /^(\d*[<>]{1,3}|[<>]&|&>)$/
/** Words after which a shell expects a command. */
const keywords = new Set(['!', '{', 'do', 'elif', 'else', 'if', 'then', 'until', 'while'])

type Word = string | { readonly op: 'redirect' | 'next' }

function wordsOf(line: string): readonly Word[] {
  let parts: ReturnType<typeof parse>
  try {
    parts = parse(line.replaceAll(/\r?\n|`/g, ' ; '), (name) => `$${name}`)
  } catch {
    // The shell may still understand it.
    return line.split(/[\s;&|()`]+/)
  }
  return parts.flatMap((part): readonly Word[] => {
    if (typeof part === 'string') return keywords.has(part) ? [{ op: 'next' }] : [part]
    // A comment has no operator.
    if (!('op' in part)) return []
    if ('pattern' in part) return [part.pattern]
    return [{ op: redirections.test(part.op) ? 'redirect' : 'next' }]
  })
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item, index: number) => Found | undefined,
): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
