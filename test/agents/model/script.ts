/**
 * A prompt is a script. The model reads it from top to bottom, and each CALL ends one of its turns:
 *
 *   CALL tool {json}      call a tool, and continue when its result is there
 *   PARALLEL              make the calls on the following lines in one turn
 *   THINK text            think this
 *   SAY text              say this before the call
 *   FAIL status [times]   answer with this HTTP status, every time or this many times
 *   FULL                  answer as a model does whose context is full
 *   CUT [times]           break the connection in the middle of the answer, once or this many times
 *   STALL                 begin the answer, but continue only when the test releases it
 *
 * These lines apply to the whole script, so their place does not matter:
 *
 *   FINAL text            end with this, instead of the tool results
 *   LONG count            end with this many words, each a delta of its own, before the FINAL text
 *   SLOW ms               pause before each delta of a text and before each call
 *
 * A prompt without CALL, FINAL and LONG is echoed. The reply depends on the conversation alone, so a retry gets the
 * same answer. The exceptions are FAIL and CUT, which depend on how often the same request came before.
 */
import type { Conversation } from './conversation.ts'
import { fingerprintOf, isSideRequest } from './conversation.ts'
import type { Part, TextPart } from './part.ts'
import { piecesOf } from './part.ts'
import { sampleOf } from './sample.ts'

export type Reply =
  | { readonly is: 'failure'; readonly status: number }
  | { readonly is: 'full' }
  /** A cut breaks the connection in the middle, and a stall waits before the first part. */
  | { readonly is: 'answer' | 'cut' | 'stall'; readonly parts: readonly Part[]; readonly pauseMs: number }

/** `tries` is the number of times that the same request came before. */
export function replyTo(conversation: Conversation, tries: number): Reply {
  if (isSideRequest(conversation)) return { is: 'answer', parts: [sideAnswer(conversation)], pauseMs: 0 }
  const script = readScript(conversation.prompt)
  const { thinking, said, calls, troubles, stalls } = turnAfter(conversation.results.length, script)
  const trouble = troubleAt(tries, troubles)
  if (trouble?.is === 'failure') return { is: 'failure', status: trouble.status }
  if (trouble?.is === 'full') return { is: 'full' }
  const again = Math.min(tries, countAll(troubles))
  const last = calls.length > 0 ? [] : lastWords(script, conversation)
  const texts = said.map((line, index) => (index < said.length - 1 || last.length > 0 ? `${line}\n` : line))
  const parts: readonly Part[] = [
    ...textPart('thought', piecesOf(thinking.join('\n'))),
    ...textPart('text', [...texts.flatMap(piecesOf), ...last]),
    ...calls.map((line, index) => callPart(line, `${fingerprintOf(conversation)}_${again}_${index}`, conversation)),
  ]
  return { is: trouble?.is ?? (stalls ? 'stall' : 'answer'), parts, pauseMs: script.pauseMs }
}

interface Script {
  /** The last one makes no calls. */
  readonly turns: readonly ScriptTurn[]
  readonly final?: string
  readonly words: number
  readonly pauseMs: number
}

interface ScriptTurn {
  readonly thinking: string[]
  readonly said: string[]
  readonly calls: string[]
  readonly troubles: Trouble[]
  stalls: boolean
}

type Trouble = { readonly times: number } & (
  | { readonly is: 'failure'; readonly status: number }
  | { readonly is: 'cut' | 'full' }
)

function readScript(prompt: string): Script {
  let turn = emptyTurn()
  let isParallel = false
  const turns = [turn]
  const whole: { final?: string; words: number; pauseMs: number } = { words: 0, pauseMs: 0 }
  function nextTurn(): void {
    turn = emptyTurn()
    turns.push(turn)
    isParallel = false
  }
  for (const line of prompt.split('\n')) {
    const [, directive = '', text = ''] = /^([A-Z]+)(?:\s+(.*?))?\s*$/.exec(line) ?? []
    const opensTurn = ['PARALLEL', 'THINK', 'SAY', 'FAIL', 'FULL', 'CUT', 'STALL'].includes(directive)
    if (turn.calls.length > 0 && (opensTurn || (directive === 'CALL' && !isParallel))) nextTurn()
    const [first, second] = text.split(/\s+/).map(Number)
    switch (directive) {
      case 'CALL':
        turn.calls.push(text)
        break
      case 'PARALLEL':
        isParallel = true
        break
      case 'THINK':
        turn.thinking.push(text)
        break
      case 'SAY':
        turn.said.push(text)
        break
      case 'FAIL':
        turn.troubles.push({ is: 'failure', status: first || 500, times: second ?? Infinity })
        break
      case 'FULL':
        turn.troubles.push({ is: 'full', times: Infinity })
        break
      case 'CUT':
        turn.troubles.push({ is: 'cut', times: first || 1 })
        break
      case 'STALL':
        turn.stalls = true
        break
      case 'FINAL':
        whole.final ??= text
        break
      case 'LONG':
        whole.words = first ?? 0
        break
      case 'SLOW':
        whole.pauseMs = first ?? 0
    }
  }
  if (turn.calls.length > 0) nextTurn()
  return { turns, ...whole }
}

function emptyTurn(): ScriptTurn {
  return { thinking: [], said: [], calls: [], troubles: [], stalls: false }
}

/** The first turn whose earlier calls all have results. */
function turnAfter(results: number, { turns }: Script): ScriptTurn {
  let calls = 0
  for (const turn of turns) {
    if (calls >= results) return turn
    calls += turn.calls.length
  }
  return turns.at(-1)!
}

function troubleAt(tries: number, troubles: readonly Trouble[]): Trouble | undefined {
  let before = 0
  return troubles.find(({ times }) => tries < (before += times))
}

function countAll(troubles: readonly Trouble[]): number {
  return troubles.reduce((sum, { times }) => sum + times, 0)
}

function lastWords({ turns, final, words }: Script, { prompt, results }: Conversation): readonly string[] {
  const long = Array.from({ length: words }, (_, index) => `${index > 0 ? ' ' : ''}word${index + 1}`)
  if (words > 0) return final === undefined ? long : [...long, ...piecesOf(`\n${final}`)]
  return piecesOf(final ?? (turns.length > 1 ? `DONE: ${results.join(' ')}` : `ECHO: ${prompt}`))
}

/** Titles and other side requests get JSON of their schema, or a fixed text. */
function sideAnswer({ schema }: Conversation): Part {
  return { is: 'text', deltas: [schema ? JSON.stringify(sampleOf(schema)) : 'A scripted side answer'] }
}

function textPart(is: TextPart['is'], deltas: readonly string[]): readonly Part[] {
  return deltas.length > 0 ? [{ is, deltas }] : []
}

/** `key` is the same if the same request comes again, but not after a cut, because the client may have seen the call. */
function callPart(line: string, key: string, { tools }: Conversation): Part {
  const [, name = '', json = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? []
  // Each agent has its own prefix for the tools of an MCP server.
  const tool = tools.find((offered) => offered.name === name) ?? tools.find((offered) => offered.name.endsWith(name))
  if (!tool) {
    const offered = tools.map((each) => each.name).join(', ')
    return { is: 'text', deltas: piecesOf(`There is no tool ${name}, only ${offered}.`) }
  }
  return { is: 'call', id: `call_${key}`, tool, input: JSON.parse(json === '' ? '{}' : json) as object }
}
