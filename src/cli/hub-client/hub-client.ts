/** Calls the tools of the hub, and turns every failure into a sentence with an exit code. */
import { isRefusal } from '../../api/policy-errors.ts'
import { HubError, messageOf } from '../../base/hub-error.ts'
import { isRecord } from '../../base/is-record.ts'
import { ClientError, clientRevision, createClient } from '../../client/client.ts'
import type { ToolResult } from '../../client/client.ts'
import { CliError } from '../command/cli-error.ts'
import { redactForeign } from '../command/redactor.ts'
import { refusedToken, unsafeSocket } from './hub-address.ts'
import type { HubAddress } from './hub-address.ts'
import { packageVersion } from '../../base/package-files.ts'
import { inShellWords } from './shell-words.ts'
import { createSend } from './send-to-hub.ts'

/** Disposing it cancels the running calls. */
export interface HubClient extends Disposable {
  callTool(name: string, args: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<ToolAnswer>
  listTools(): Promise<readonly Readonly<Record<string, unknown>>[]>
}

export interface CallOptions {
  /** How long to wait without progress. */
  readonly timeoutMs?: number
  /** How long to wait in all, also for an approval. `undefined` means for as long as a person may take to answer it. */
  readonly withinMs?: number
  /** The call waits for this approval. */
  onHeld?(approval: string): void
  onProgress?(progress: Progress): void
}

export interface ToolAnswer {
  readonly isError: boolean
  /** Missing if the tool answers only with text or pictures. */
  readonly structured?: Readonly<Record<string, unknown>>
  readonly text: string
  /** The whole result. */
  readonly result: unknown
}

type Progress = Readonly<Record<string, unknown>>

const answerWithinMs = 15_000

/** Sends nothing before the first call. Each call is independent. */
export function createHubClient(address: HubAddress): HubClient {
  const { url, token, socket } = address
  const info = { name: 'signalbox-cli', version: packageVersion() }
  const client = createClient({ url, token, info, send: createSend(socket) })
  const closing = new AbortController()
  const inOurWords = token?.startsWith('sb_human_') ? inShellWords : redactForeign
  return {
    async callTool(name, args, { timeoutMs = answerWithinMs, withinMs, onHeld, onProgress: report } = {}) {
      const limit = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs)
      const signal = limit ? AbortSignal.any([closing.signal, limit]) : closing.signal
      const onProgress = (progress: Progress) => {
        const { message } = progress
        report?.(progress)
        const [, approval] = /^waiting for approval (\S+)$/.exec(String(message)) ?? []
        if (approval !== undefined) onHeld?.(approval)
      }
      try {
        return toAnswer(await client.callTool(name, args, { timeoutMs, signal, onProgress }), inOurWords)
      } catch (error) {
        if (limit?.aborted) throw timedOut(withinMs! / 1000)
        throw error instanceof ClientError ? explain(error, address, inOurWords) : error
      }
    },
    async listTools() {
      try {
        return await client.listTools({ timeoutMs: answerWithinMs, signal: closing.signal })
      } catch (error) {
        throw error instanceof ClientError ? explain(error, address, inOurWords) : error
      }
    },
    [Symbol.dispose]: () => closing.abort(new CliError('failed', 'This command cancelled the call.')),
  }
}

/**
 * How an error of the hub is shown here. The tools of a person are the hub's own. An agent may call the tools of an
 * upstream, whose errors are foreign text.
 */
type Words = (message: string) => string

function explain(error: ClientError, address: HubAddress, inOurWords: Words): CliError {
  const { fault, cause } = error
  const { url } = address
  const because = { cause: error }
  switch (fault.is) {
    case 'unreachable':
      if (cause instanceof HubError) return unsafeSocket(cause)
      return noHubAt(address, error)
    case 'refused':
      return explainStatus(fault.status, error, address)
    case 'error':
      if (isRefusal(error.code)) return new CliError('denied', error.message, because)
      return new CliError('failed', `The hub at ${url} answered with an error: ${inOurWords(error.message)}`, because)
    case 'timed-out':
      return new CliError(
        'failed',
        `The hub at ${url} did not answer in time. Try again, with --timeout if the command has that flag.`,
        because,
      )
    case 'input-required':
      return new CliError(
        'failed',
        `The tool asks a question, which the command line cannot answer. Use another MCP client.`,
        because,
      )
    case 'broken':
      return new CliError(
        'failed',
        `${url} did not answer like a hub: ${redactForeign(error.message)}. Check the address, for example with "signalbox probe ${url}".`,
        because,
      )
  }
}

function timedOut(seconds: number): CliError {
  const advice = 'Give it longer with --timeout, or leave --timeout out.'
  return new CliError('failed', `The call had no answer after ${seconds} s and was cancelled. ${advice}`)
}

export function noHubAt({ url, socket }: HubAddress, cause: unknown): CliError {
  const correction = socket === undefined ? ', or correct the address in --url or SIGNALBOX_URL' : ''
  // Without the query, which some commands add.
  return new CliError(
    'unreachable',
    `No hub answers at ${url.replace(/\?.*/, '')}. Start it with "signalbox up"${correction}.`,
    { cause },
  )
}

/** Explains the HTTP status with which a hub, or a proxy in front of it, refuses a request. */
export function explainStatus(status: number, error: unknown, address: HubAddress): CliError {
  const { url } = address
  const because = { cause: error }
  switch (status) {
    case 401:
      return refusedToken(address, error)
    case 403:
      return new CliError(
        'unauthorized',
        `The hub refuses requests for ${new URL(url).host}. Add that name to allowed_hosts, or use the hub's own address.`,
        because,
      )
    case 404:
      return new CliError(
        'failed',
        `There is no MCP endpoint at ${url}, or the session of this token has ended. Check --url and the token: the address of a hub ends in /mcp.`,
        because,
      )
    case 413:
      return new CliError(
        'failed',
        `The hub at ${url} does not accept this much at once: ${redactForeign(messageOf(error))}`,
        because,
      )
    case 429:
      return new CliError('failed', `The hub at ${url} got too many requests from here. Wait a minute.`, because)
    case 503:
      return new CliError('unreachable', `The hub at ${url} is starting or stopping. Try again in a moment.`, because)
    default:
      return new CliError(
        'failed',
        `${url} does not accept a request of MCP ${clientRevision}: ${redactForeign(messageOf(error))}. If it is a hub, "signalbox probe ${url}" shows which revisions it speaks.`,
        because,
      )
  }
}

function toAnswer(result: ToolResult, inOurWords: Words): ToolAnswer {
  const { structuredContent } = result
  const text = result.content.map(({ type, text: said }) => (type === 'text' ? said : `[${String(type)}]`)).join('\n')
  return {
    isError: result.isError === true,
    ...(isRecord(structuredContent) && { structured: structuredContent }),
    text: result.isError === true ? inOurWords(text) : text,
    result,
  }
}
