/**
 * Tells people outside that somebody waits for them: a command is run, or a URL is posted to. Nobody waits for a hook, and
 * one that fails is a line in the log.
 */
import type { Log } from './log.ts'
import { postHook } from './post-hook.ts'
import { runHook } from './run-hook.ts'

export interface Hooks {
  /** A line for the shell. */
  readonly command?: string | undefined
  readonly url?: string | undefined
  /** What the command sees of the environment, besides what it is told. */
  readonly environment: Readonly<Record<string, string>>
}

export interface Notification {
  /** A sentence for people. */
  readonly text: string
  /** What kind of thing it is about, as it is named to who is posted to. */
  readonly kind: 'approval' | 'session'
  readonly about: object
  readonly variables: Readonly<Record<string, string>>
}

export interface Notifier extends AsyncDisposable {
  /** There is a hook to tell. */
  readonly isOn: boolean
  /** Returns at once. `prepare` is called when its turn comes; where it answers nothing, nobody is told. */
  notify(prepare: () => Promise<Notification | undefined>, names: Readonly<Record<string, string>>): void
}

/** A hundred questions at once are no reason to start a hundred programs. */
const mostAtOnce = 16

/** `names` of a notification stand beside its failure in the log. */
export function createNotifier({ command, url, environment }: Hooks, log: Log): Notifier {
  const stopping = new AbortController()
  const queue: { readonly tell: () => Promise<void>; readonly names: Readonly<Record<string, string>> }[] = []
  const running = new Set<Promise<void>>()
  const isOn = command !== undefined || url !== undefined

  async function tell({ text, kind, about, variables }: Notification): Promise<void> {
    const told = { ...environment, ...asVariables({ SIGNALBOX_NOTIFY_TEXT: text, ...variables }) }
    const outcomes = await Promise.allSettled([
      command !== undefined && runHook(command, { environment: told, about }, stopping.signal),
      url !== undefined && postHook(url, { text, [kind]: about }, stopping.signal),
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  function next(): void {
    const turn = running.size < mostAtOnce && !stopping.signal.aborted ? queue.shift() : undefined
    if (!turn) return
    const telling = turn
      .tell()
      .catch((error: unknown) => log.warn({ ...turn.names, error }, 'a notify hook failed'))
      .finally(() => {
        running.delete(telling)
        next()
      })
    running.add(telling)
    next()
  }

  return {
    isOn,
    notify(prepare, names) {
      if (!isOn) return
      const prepareAndTell = async () => {
        const notification = await prepare()
        if (notification) await tell(notification)
      }
      queue.push({ tell: prepareAndTell, names })
      next()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** The system takes no variable of 128 KiB, and a phone shows less. */
const longestVariable = 2_000

/** What others chose must not keep the command from being started: a NUL would. */
function asVariables(told: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(told).map(([name, value]) => [
      name,
      value.slice(0, longestVariable).replaceAll(/\p{Cc}/gu, escaped),
    ]),
  )
}

function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
}
