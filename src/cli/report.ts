/**
 * `signalbox report`: for the hooks of agents, which say with it what the agent is doing. An agent waits for its hooks,
 * so this is one plain request: to load the MCP client would take longer than all the rest.
 */
import { isRefusal } from '../api/policy-errors.ts'
import { messageOf } from '../base/hub-error.ts'
import { isRecord } from '../base/is-record.ts'
import { CliError } from './cli-error.ts'
import { defineCommand } from './command.ts'

const revision = '2026-07-28'
const method = 'tools/call'
const tool = 'sessions_report_activity'
const answerWithinMs = 5_000

export const command = defineCommand({
  takes: '<activity> [reason]',
  about: [
    'Tells the hub what the agent of this session is doing: working, waiting (for a person, with the reason) or idle. The',
    'hub believes it more than what it sees on the screen. It works inside a session alone, where SIGNALBOX_URL and',
    'SIGNALBOX_TOKEN are set, and prints nothing. A reason that is a JSON object, such as some agents add to the commands',
    'they call, is passed over.',
  ].join('\n'),
  flags: {},
  words: { min: 1, max: 2 },
  examples: ['signalbox report working', "signalbox report waiting 'It wants to deploy'"],
  async run(args, context) {
    const [is, reason] = args.words
    const { SIGNALBOX_URL: url, SIGNALBOX_TOKEN: token } = await context.readEnvironment()
    // Not "usage": some agents take exit code 2 of a hook for an order to stop.
    if (!url || !token)
      throw new CliError('failed', 'This is no session: SIGNALBOX_URL and SIGNALBOX_TOKEN are not set.')
    await callTool({ url, token }, { is, ...(reason !== undefined && !isJson(reason) && { reason }) })
    return 'ok'
  },
})

async function callTool({ url, token }: { url: string; token: string }, input: object): Promise<void> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'signalbox-report', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      'mcp-name': tool,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { name: tool, arguments: input, _meta } }),
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch((error: unknown) => {
    throw new CliError('unreachable', `No hub answers at ${url}: ${messageOf(error)}.`, { cause: error })
  })
  const answer: unknown = await response.json().catch(() => undefined)
  const { error, result } = isRecord(answer) ? answer : {}
  if (isRecord(error) && isRefusal(error['code'])) throw new CliError('denied', String(error['message']))
  if (!response.ok || error !== undefined)
    throw new CliError(response.status === 401 ? 'unauthorized' : 'failed', refusal(response, error))
  if (isRecord(result) && result['isError'] === true) throw new CliError('tool-error', textOf(result))
}

function refusal({ status }: Response, error: unknown): string {
  const why = isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'it did not say why.'
  return `The hub did not take it (HTTP ${status}): ${why}`
}

function textOf({ content }: Readonly<Record<string, unknown>>): string {
  const [first] = Array.isArray(content) ? (content as unknown[]) : []
  return isRecord(first) ? String(first['text']) : 'The hub did not take it.'
}

function isJson(text: string): boolean {
  try {
    return isRecord(JSON.parse(text))
  } catch {
    return false
  }
}
