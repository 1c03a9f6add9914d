/**
 * Reads a page of the documentation as steps to run. The word after the language of a code fence is its purpose:
 *
 *   sh run              a command that runs to its end and must succeed
 *   sh background       a command that runs until the page ends
 *   sh terminal=<key>   a command in a terminal: once it has drawn something, the key is pressed, and it must succeed
 *   sh shown=<why>      a command that no test can run, and why
 *   text output         the output of the command before it
 *   text background     the output of the last background command so far
 *   ts file=<path>      a file to write
 *   diff file=<path>    a change of an existing file
 *
 * A block without such a word is for reading only and has no commands.
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

/** The text of all blocks in this language. */
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

/** A block that a reader may take for a command must say that it is not run. */
function isForReading({ language, purpose }: Block): boolean {
  if (language === 'sh') return /^shown=\S/.test(purpose)
  return purpose === '' && language !== ''
}

/** Throws on an unknown purpose, so that a misspelling does not silently skip a step. */
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
  throw new Error(`A block has the unknown mark "${`${language} ${purpose}`.trim()}":\n${text}`)
}

function withOutput(step: Step | undefined, prints: string): Step {
  if ((step?.is === 'run' || step?.is === 'start') && step.prints === undefined) return { ...step, prints }
  throw new Error(`An output block follows no command:\n${prints}`)
}
