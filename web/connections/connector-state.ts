/** The state of a connector, for people. Steps that need the person come before the upstream's own state. */
import type { ConnectorView } from '../../src/api/connector.ts'
import { counted } from '../parts/amounts.ts'
import type { DecisionMarkName } from '../parts/marks.tsx'
import { clock } from '../parts/time.ts'

export type ConnectorState =
  | 'running'
  | 'idle'
  | 'starting'
  | 'variable'
  | 'login'
  | 'consent'
  | 'failed'
  | 'given-up'
  | 'off'

export function stateOf({ enabled, variables, login, consent, upstream }: ConnectorView): ConnectorState {
  if (!enabled) return 'off'
  if (variables.some(({ state }) => state === 'missing')) return 'variable'
  if (login?.is === 'wanted') return 'login'
  if (consent?.is === 'wanted') return 'consent'
  switch (upstream.is) {
    case 'running':
      return 'running'
    case 'initializing':
      return 'starting'
    case 'failed':
      return upstream.retry_at === undefined ? 'failed' : 'given-up'
    case 'stopped':
      return 'idle'
  }
}

interface StateLook {
  readonly words: string
  readonly mark: DecisionMarkName
  readonly tone: 'go' | 'wait' | 'stop' | 'info' | ''
}

export const looks: Readonly<Record<ConnectorState, StateLook>> = {
  running: { words: 'Running', mark: 'running', tone: 'go' },
  idle: { words: 'Idle', mark: 'idle', tone: '' },
  starting: { words: 'Starting', mark: 'connecting', tone: 'info' },
  variable: { words: 'Needs a variable', mark: 'waiting', tone: 'wait' },
  login: { words: 'Needs a login', mark: 'waiting', tone: 'wait' },
  consent: { words: 'Needs your consent', mark: 'waiting', tone: 'wait' },
  failed: { words: 'Failed', mark: 'abort', tone: 'stop' },
  'given-up': { words: 'Given up', mark: 'abort', tone: 'stop' },
  off: { words: 'Off', mark: 'idle', tone: '' },
}

/** Whether a person has to fix something. */
export function needsPerson(state: ConnectorState): boolean {
  return ['variable', 'login', 'consent', 'failed', 'given-up'].includes(state)
}

/** The line below its name. */
export function noteOf(view: ConnectorView): string {
  const { upstream, variables, sessions, tools } = view
  const state = stateOf(view)
  switch (state) {
    case 'variable': {
      const missing = variables.flatMap(({ name, state: is }) => (is === 'missing' ? [name] : []))
      return `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`
    }
    case 'login':
      return 'log in at its server'
    case 'consent':
      return 'runs outside of a sandbox'
    case 'failed':
    case 'given-up':
      return shortly(upstream.reason ?? '')
    case 'starting':
      return upstream.retry_at === undefined ? 'connecting' : `next try at ${clock(upstream.retry_at)}`
    case 'running':
    case 'idle':
    case 'off':
      return [
        tools ? counted(tools.length, 'tool') : 'not tested yet',
        sessions.length > 0 ? counted(sessions.length, 'session') : 'in no session',
      ].join(', ')
  }
}

/** For a program, the list shows only how it ended and its last output: `exit 1: no Chromium found` */
function shortly(reason: string): string {
  return reason.replace(/^.*? ended with exit code (\d+)(?:; it last said)?/, 'exit $1')
}

/** The same as a sentence. */
export function failureOf({ upstream: { reason = 'It failed.' } }: ConnectorView): string {
  return reason.replace(/^.*? ((?:ended with exit code|was ended by) \w+)(?:; it last said)?/, 'The program $1')
}

/** How it is reached, in one word. */
export function kindOf({ transport, base_url: url = '' }: ConnectorView): string {
  return transport === 'http' && url.startsWith('https:') ? 'https' : transport
}

/** The command line or the address. */
export function targetOf({ transport, cmd = '', args = [], base_url: url = '' }: ConnectorView): string {
  return transport === 'stdio' ? [cmd, ...args].join(' ') : url
}
