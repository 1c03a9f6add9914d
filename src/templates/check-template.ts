/** Checks a template. Each finding has the field and says what would work there. */
import type { z } from 'zod'
import { argumentLists, type Template, templateSchema } from '../api/template.ts'
import { plainIssue } from '../base/plain-issue.ts'
import { messageOf } from '../base/hub-error.ts'
import { isLoopback } from '../base/loopback.ts'
import { nearest } from '../base/nearest.ts'
import { secretName } from '../base/redact-names.ts'
import { compilePattern, encodeKeys } from '../terminal/terminal.ts'

export interface Finding {
  /** The path of the field in the template. */
  readonly path: readonly PropertyKey[]
  readonly message: string
}

export type CheckedTemplate =
  | { readonly is: 'good'; readonly template: Template }
  | { readonly is: 'faulty'; readonly findings: readonly Finding[] }

export function checkTemplate(content: unknown): CheckedTemplate {
  const parsed = templateSchema.safeParse(content, { error: plainIssue })
  if (!parsed.success) return { is: 'faulty', findings: parsed.error.issues.map(toFinding) }
  const findings = [...findKeyFaults(parsed.data), ...findPlaceFaults(parsed.data), ...findRoomFaults(parsed.data)]
  return findings.length > 0 ? { is: 'faulty', findings } : { is: 'good', template: parsed.data }
}

/** Separate from the other checks, because it loads the engine for regular expressions. */
export async function findPatternFaults({ prompt, conversation, questions }: Template): Promise<readonly Finding[]> {
  const patterns = [
    { path: ['prompt', 'ready'], source: prompt.ready },
    { path: ['prompt', 'taken'], source: prompt.taken },
    { path: ['conversation', 'ready'], source: conversation?.ready },
    { path: ['conversation', 'taken'], source: conversation?.taken },
    ...questions.map(({ shows }, index) => ({ path: ['questions', index, 'shows'], source: shows })),
  ]
  const findings: Finding[] = []
  for (const { path, source } of patterns) {
    if (source === undefined) continue
    try {
      await compilePattern(source, { ignoreCase: false })
    } catch (error) {
      findings.push({ path, message: messageOf(error) })
    }
  }
  return findings
}

export function describeFindings(findings: readonly Finding[]): string {
  const parts = findings.map(({ path, message }) => (path.length > 0 ? `"${path.join('.')}": ${message}` : message))
  return parts.join('; ').replace(/[^.?]$/, '$&.')
}

function findKeyFaults({ questions }: Template): readonly Finding[] {
  return questions.flatMap(({ keys }, index) => {
    try {
      encodeKeys(keys, { applicationCursor: false })
      return []
    } catch (error) {
      return [{ path: ['questions', index, 'keys'], message: messageOf(error) }]
    }
  })
}

function findPlaceFaults({ args = [], conversation }: Template): readonly Finding[] {
  const needsPlace = conversation && [...conversation.start, ...conversation.resume].length > 0
  if (!needsPlace || args.includes(argumentLists.conversation)) return []
  return [
    { path: ['conversation'], message: `its arguments need a place. Add "${argumentLists.conversation}" to args` },
  ]
}

/** The access token must reach the homeserver and no one else: not the network on the way, and not a session. */
function findRoomFaults({ chat, env_keys }: Template): readonly Finding[] {
  if (!chat?.matrix) return []
  const { homeserver, token_env } = chat.matrix
  const findings: Finding[] = []
  if (!isHomeserver(homeserver)) {
    const message = 'write the address of a homeserver, such as "https://matrix.example.org"; http only on this machine'
    findings.push({ path: ['chat', 'matrix', 'homeserver'], message })
  }
  if (secretName(token_env) === undefined || token_env.startsWith('SIGNALBOX_')) {
    const message = 'name a variable that ends in _TOKEN, such as "MATRIX_TOKEN": programs of sessions do not get those'
    findings.push({ path: ['chat', 'matrix', 'token_env'], message })
  }
  if (env_keys.includes(token_env)) {
    const message = `remove "${token_env}": the access token of the Matrix room is not for the session`
    findings.push({ path: ['env_keys'], message })
  }
  return findings
}

function isHomeserver(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replaceAll(/[[\]]/g, '')))
}

function toFinding(issue: z.core.$ZodIssue): Finding {
  const { path } = issue
  switch (issue.code) {
    case 'unrecognized_keys': {
      const [key = ''] = issue.keys
      const meant = nearest(key, path.length === 0 ? Object.keys(templateSchema.shape) : [])
      const cure = meant === undefined ? 'remove it' : `did you mean "${meant}"?`
      return { path: [...path, key], message: `there is no such field; ${cure}` }
    }
    case 'invalid_key':
      return { path, message: issue.issues[0]?.message ?? issue.message }
    default:
      return { path, message: issue.message }
  }
}
