/** A thread as a document for people. */
import type { Message, Thread } from '../api/thread.ts'

export function toMarkdown({
  label,
  session,
  thread_id: id,
  messages,
}: Pick<Thread, 'label' | 'session' | 'thread_id' | 'messages'>): string {
  const title = label ?? session ?? id
  return [`# ${title}`, ...messages.map(sectionOf)].join('\n\n').concat('\n')
}

const headings = { user: 'Prompt', assistant: 'Answer', tool: 'Result' } as const

function sectionOf({ role, content, tool_calls: calls = [] }: Message): string {
  const texts = content.map(({ type, text }) =>
    type === 'thinking' ? quoted(text) : role === 'tool' ? fenced(text) : text,
  )
  const called = calls.map(({ name, arguments: args }) => `\`${name}\`\n\n${fenced(JSON.stringify(args, null, 2))}`)
  return [`## ${headings[role]}`, ...texts, ...called].join('\n\n')
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
