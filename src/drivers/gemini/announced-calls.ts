/**
 * Notices when hooks announce two calls that fit the same dialog. A process of the agent can send the same messages as
 * a hook, and so announce a harmless call in place of the one in the dialog. Then the hub does not know which call it
 * would allow, and a person has to answer.
 */
import { hash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { GeminiCall } from './own-tool.ts'

export interface AnnouncedCalls {
  add(call: GeminiCall): void
  isDisputed(call: GeminiCall): boolean
  /** Its dialog was answered, as the screen shows. Later announcements are about another dialog. */
  settled(call: GeminiCall): void
}

/** An agent that announces more calls than this wants to hide one of them. */
const most = 10_000

export function createAnnouncedCalls(): AnnouncedCalls {
  /** By the part of a call that its dialog shows: the announced call, or `disputed` if there were several. */
  const announced = new Map<string, string>()
  let isFull = false
  return {
    add(call) {
      const subject = subjectOf(call)
      const text = textOf(call)
      isFull ||= announced.size >= most
      if (isFull) return
      announced.set(subject, (announced.get(subject) ?? text) === text ? text : 'disputed')
    },
    isDisputed: (call) => isFull || announced.get(subjectOf(call)) === 'disputed',
    settled: (call) => void announced.delete(subjectOf(call)),
  }
}

/** The same for all calls whose dialogs could look the same. A dialog does not show the folder of a command. */
function subjectOf({ name, input, cwd }: GeminiCall): string {
  const { command, file_path: path, url, prompt } = input
  switch (name) {
    case 'run_shell_command':
      return digest([name, packed(command)])
    case 'write_file':
    case 'replace':
      return digest([name, relative(cwd, resolve(cwd, String(path)))])
    case 'web_fetch':
      return digest([name, packed(url) || packed(prompt)])
    default:
      return digest([name])
  }
}

/** How a text is wrapped depends on the width of the screen. */
function packed(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s/g, '') : ''
}

function textOf({ name, input, cwd }: GeminiCall): string {
  return digest([name, input, cwd])
}

function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value))
}
