/** Saves what is shown as a file: the thread of a turn in the format of each provider, its trace, events, usage. */
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { LoggedEvent } from '../../src/api/event.ts'
import type { exportFormats } from '../../src/api/thread.ts'
import type { TurnSummary } from '../../src/api/turn.ts'
import type { UsageRow } from '../../src/api/usage.ts'
import { showFailure, showToast } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { counted } from '../parts/amounts.ts'
import { Icon } from '../parts/icons.tsx'
import { download, toCsv } from './download.ts'

type Format = (typeof exportFormats)[number]

const formats: readonly (readonly [Format, string])[] = [
  ['markdown', 'Thread as Markdown'],
  ['json', 'Thread as JSON'],
  ['openai-chat', 'Thread for OpenAI Chat'],
  ['openai-responses', 'Thread for OpenAI Responses'],
  ['anthropic', 'Thread for Anthropic'],
  ['gemini', 'Thread for Gemini'],
]

interface ExportItem {
  readonly words: string
  save(): void
}

/** `items` is empty where there is nothing to save. */
export function ExportMenu({ items }: { readonly items: readonly ExportItem[] }) {
  const isLost = useIsLost()
  return (
    <Menu.Root>
      <Menu.Trigger className="btn" disabled={isLost || items.length === 0}>
        Export
        <Icon name="down" size={12} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {items.map(({ words, save }) => (
            <Menu.Item key={words} onSelect={save}>
              {words}
            </Menu.Item>
          ))}
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function useTurnExports(turn: TurnSummary | undefined): readonly ExportItem[] {
  const { call } = useHub()
  if (!turn) return []
  const { thread, correlation, session } = turn

  async function saveThread(format: Format): Promise<void> {
    const { text, left_out: left = [] } = await call<{ text: string; left_out?: readonly { what: string }[] }>(
      'export_thread',
      { thread, format },
    )
    const [end, type] = format === 'markdown' ? ['md', 'text/markdown'] : ['json', 'application/json']
    download(`${session}.${format === 'json' || format === 'markdown' ? '' : `${format}.`}${end}`, type, text)
    const what = [...new Set(left.map((each) => each.what))].join(', ')
    showToast(
      'allow',
      left.length === 0 ? 'Saved the thread.' : `Saved the thread. This format has no place for: ${what}.`,
    )
  }
  const threads =
    thread === undefined
      ? []
      : formats.map(([format, words]) => ({ words, save: () => void saveThread(format).catch(showFailure) }))
  return [
    ...threads,
    {
      words: 'Trace as JSON',
      save: () =>
        void call('get_trace', { correlation })
          .then((trace) => download(`${session}.trace.json`, 'application/json', JSON.stringify(trace, null, 2)))
          .catch(showFailure),
    },
  ]
}

export function eventExports(events: readonly LoggedEvent[]): readonly ExportItem[] {
  if (events.length === 0) return []
  const oldestFirst = events.toReversed()
  const columns = ['seq', 'at', 'type', 'session', 'thread', 'correlation', 'route', 'provider'] as const
  return [
    {
      words: `${counted(events.length, 'event')} as JSON Lines`,
      save: () =>
        download(
          'events.jsonl',
          'application/jsonl',
          oldestFirst.map((event) => `${JSON.stringify(event)}\n`).join(''),
        ),
    },
    {
      words: `${counted(events.length, 'event')} as CSV`,
      save: () =>
        download(
          'events.csv',
          'text/csv',
          toCsv([
            [...columns, 'payload'],
            ...oldestFirst.map((event) => [...columns.map((name) => event[name]), JSON.stringify(event.payload)]),
          ]),
        ),
    },
  ]
}

export function usageExports(rows: readonly UsageRow[]): readonly ExportItem[] {
  if (rows.length === 0) return []
  const columns = ['day', 'session', 'session_id', 'turns', 'input_tokens', 'output_tokens', 'cost_usd'] as const
  return [
    {
      words: 'Usage as CSV',
      save: () =>
        download(
          'usage.csv',
          'text/csv',
          toCsv([[...columns], ...rows.map((row) => columns.map((name) => row[name]))]),
        ),
    },
    {
      words: 'Usage as JSON',
      save: () => download('usage.json', 'application/json', JSON.stringify(rows, null, 2)),
    },
  ]
}
