/**
 * A page of the documentation as steps that can be run. The word after a fence's language says what its block is for:
 *
 *   sh run              a command, run to its end; it must succeed
 *   sh background       a command that goes on until the page ends
 *   sh terminal=<key>   a command that wants a terminal: once it has drawn something, the key is pressed, and it must end well
 *   sh shown=<why>      a command that no test can run, and why not
 *   text output         what the command before it prints
 *   text background     what the last background command has printed by then
 *   ts file=<path>      a file to write
 *   diff file=<path>    lines to put into a file that is there
 *
 * A block without such a word is for reading only, and holds no commands.
 */
export type Step =
  | { readonly is: 'run' | 'start'; readonly command: string; readonly prints?: string }
  | { readonly is: 'leave'; readonly command: string; readonly key: string }
  | { readonly is: 'look'; readonly prints: string }
  | { readonly is: 'write'; readonly path: string; readonly text: string }
  | { readonly is: 'edit'; readonly path: string; readonly change: string }

interface Block {
  readonly language: string
  readonly purpose: string
  readonly text: string
}

const fence = /^```(\w*)(?: (.+))?\n([\s\S]*?)^```$/gm

export function readSteps(markdown: string): readonly Step[] {
  const steps: Step[] = []
  for (const block of blocksOf(markdown)) {
    if (isForReading(block)) continue
    if (block.purpose === 'output') steps.push(withOutput(steps.pop(), block.text))
    else steps.push(stepOf(block))
  }
  return steps
}

/** The text of the blocks in this language, whatever they are for. */
export function readBlocks(markdown: string, language: string): readonly string[] {
  return blocksOf(markdown)
    .filter((block) => block.language === language)
    .map(({ text }) => text)
}

function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(fence)].map(([, language = '', purpose = '', text = '']) => ({
    language,
    purpose,
    text,
  }))
}

/** What a reader may take for a command says itself that it is none to run. */
function isForReading({ language, purpose }: Block): boolean {
  if (language === 'sh') return /^shown=\S/.test(purpose)
  return purpose === '' && language !== ''
}

/** A misspelt purpose must not turn a proof into a picture. */
function stepOf({ language, purpose, text }: Block): Step {
  const path = /^file=(\S+)$/.exec(purpose)?.[1]
  if (path !== undefined) {
    return language === 'diff' ? { is: 'edit', path, change: text } : { is: 'write', path, text }
  }
  if (language === 'sh' && purpose === 'run') return { is: 'run', command: text }
  if (language === 'sh' && purpose === 'background') return { is: 'start', command: text }
  if (language === 'text' && purpose === 'background') return { is: 'look', prints: text }
  const key = language === 'sh' ? /^terminal=(\S+)$/.exec(purpose)?.[1] : undefined
  if (key !== undefined) return { is: 'leave', command: text, key }
  throw new Error(`No test knows what a block marked "${`${language} ${purpose}`.trim()}" is for:\n${text}`)
}

function withOutput(step: Step | undefined, prints: string): Step {
  if ((step?.is === 'run' || step?.is === 'start') && step.prints === undefined) return { ...step, prints }
  throw new Error(`An output block follows no command:\n${prints}`)
}
