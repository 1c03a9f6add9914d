/**
 * Notifies people outside the hub that an agent waits for them: runs a command, posts to a URL, sends push messages. The
 * hub does not wait for a hook. A hook that fails is logged.
 */
import type { Log } from './log.ts'
import { postHook } from './post-hook.ts'
import { runHook } from './run-hook.ts'

export interface Hooks {
  /** A shell command line. */
  readonly command?: string | undefined
  readonly url?: string | undefined
  /** The environment of the command, without the variables of the notification. */
  readonly environment: Readonly<Record<string, string>>
  readonly push?: PushChannel | undefined
}

/** Sends push messages to the devices that asked for them. */
export interface PushChannel {
  /** Whether a device wants push messages. */
  readonly isOn: boolean
  /** Does not reject if a device fails: its failure is recorded with it. */
  send(message: PushMessage, stopping: AbortSignal): Promise<void>
}

/**
 * A push message passes through the server of a browser vendor and appears on locked screens, so it contains names
 * only, never arguments.
 */
export interface PushMessage {
  readonly title: string
  readonly body: string
  /** Equal for all messages about one question, so that a device shows the question once. */
  readonly tag: string
  /** Relative to the root of the page. */
  readonly path: string
}

export interface Notification {
  /** A sentence for people. */
  readonly text: string
  /** The name of `about` in the posted JSON. */
  readonly kind: 'approval' | 'session'
  readonly about: object
  readonly variables: Readonly<Record<string, string>>
  readonly push: PushMessage
}

export interface Notifier extends AsyncDisposable {
  /** Whether a hook is configured, or a device wants push messages. */
  readonly isOn: boolean
  /** Returns at once. `prepare` is called when its turn comes. If it returns `undefined`, no notification is sent. */
  notify(prepare: () => Promise<Notification | undefined>, names: Readonly<Record<string, string>>): void
}

/** A hundred questions at once must not start a hundred programs. */
const mostAtOnce = 16

/** If a notification fails, its `names` are logged with the error. */
export function createNotifier({ command, url, environment, push }: Hooks, log: Log): Notifier {
  const stopping = new AbortController()
  const queue: { readonly send: () => Promise<void>; readonly names: Readonly<Record<string, string>> }[] = []
  const running = new Set<Promise<void>>()
  const isOn = () => command !== undefined || url !== undefined || push?.isOn === true

  async function send({ text, kind, about, variables, push: message }: Notification): Promise<void> {
    const hookEnvironment = { ...environment, ...asVariables({ SIGNALBOX_NOTIFY_TEXT: text, ...variables }) }
    const outcomes = await Promise.allSettled([
      command !== undefined && runHook(command, { environment: hookEnvironment, about }, stopping.signal),
      url !== undefined && postHook(url, { text, [kind]: about }, stopping.signal),
      push?.send(message, stopping.signal),
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  function next(): void {
    const turn = running.size < mostAtOnce && !stopping.signal.aborted ? queue.shift() : undefined
    if (!turn) return
    const sending = turn
      .send()
      .catch((error: unknown) => log.warn({ ...turn.names, error }, 'a notify hook failed'))
      .finally(() => {
        running.delete(sending)
        next()
      })
    running.add(sending)
    next()
  }

  return {
    get isOn() {
      return isOn()
    },
    notify(prepare, names) {
      if (!isOn()) return
      const prepareAndSend = async () => {
        const notification = await prepare()
        if (notification) await send(notification)
      }
      queue.push({ send: prepareAndSend, names })
      next()
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

/** The system rejects a variable of 128 KiB, and a phone shows far less. */
const longestVariable = 2_000

/** Escapes control characters. The values come from agents, and a NUL in one would keep the command from starting. */
function asVariables(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.slice(0, longestVariable).replaceAll(/\p{Cc}/gu, escaped),
    ]),
  )
}

function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
}
