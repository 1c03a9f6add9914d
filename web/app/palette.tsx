/** Finds sessions and actions by a few letters, and runs them. `>` finds only actions, `@` only sessions. */
import { type KeyboardEvent, type ReactNode, use, useState } from 'react'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { useSessions } from '../hub/hub-data.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { Keys } from '../parts/keys-hint.tsx'
import { StateMark } from '../parts/marks.tsx'
import { addressOf, byUrgency, shownState, stateOf, stateWords } from '../parts/session-state.ts'
import { Sheet } from '../parts/sheet.tsx'
import { go } from './router.ts'
import { sections } from './sections.ts'
import { ShellContext } from './shell-context.ts'
import { switchTheme } from './theme.ts'
import { showFailure } from './toasts.tsx'

interface Entry {
  readonly group: 'Sessions' | 'Do'
  readonly id: string
  readonly mark: ReactNode
  readonly words: string
  readonly note?: string
  readonly keys?: readonly string[]
  run(): void
}

const mostOfGroup = 8

export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { only, query } = readQuery(text)
  const entries = useEntries().filter(
    ({ group, words }) => (only === undefined || group === only) && (query === '' || matchIn(words, query) >= 0),
  )
  const groups = (['Sessions', 'Do'] as const).map(
    (title) => [title, entries.filter(({ group }) => group === title).slice(0, mostOfGroup)] as const,
  )
  const shown = groups.flatMap(([, members]) => members)
  const selected = shown[Math.min(at, shown.length - 1)]

  function run(entry: Entry | undefined): void {
    if (!entry) return
    onClose()
    entry.run()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) setAt(Math.max(0, Math.min(shown.length - 1, at + step)))
    else if (event.key === 'Enter') run(selected)
    else return
    event.preventDefault()
  }
  return (
    <Sheet title="Search or run" className="palette" bare onClose={onClose}>
      <div className="pin">
        <Icon name="search" />
        <input
          aria-label="Search or run"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={selected && `palette-${selected.id}`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
        <kbd aria-hidden="true">esc</kbd>
        <button className="phone-only w5" onClick={onClose}>
          Cancel
        </button>
      </div>
      <div className="plist" role="listbox" id="palette-list" aria-label="Results">
        {groups.map(
          ([title, members]) =>
            members.length > 0 && (
              <div key={title} role="group" aria-label={title}>
                <div className="ph" aria-hidden="true">
                  {title}
                </div>
                {members.map((entry) => (
                  <div
                    key={entry.id}
                    id={`palette-${entry.id}`}
                    role="option"
                    aria-selected={entry === selected}
                    className={entry === selected ? 'pi on' : 'pi'}
                    onPointerMove={() => setAt(shown.indexOf(entry))}
                    onClick={() => run(entry)}
                  >
                    {entry.mark}
                    <span className="cut">
                      <Matched words={entry.words} query={query} />
                    </span>
                    <span className="t3 s12 cut pn">{entry.note}</span>
                    <span className="grow" />
                    {entry.keys && <Keys keys={entry.keys} />}
                  </div>
                ))}
              </div>
            ),
        )}
      </div>
      {shown.length === 0 && <p className="t3 px-4 pb-4">Nothing is called like this.</p>}
      <div className="pfoot t3 s12" aria-hidden="true">
        <span>
          <Keys keys={['↑', '↓']} /> move
        </span>
        <span>
          <Keys keys={['↵']} /> open
        </span>
        <span className="grow" />
        <span>
          <b className="t2 w5">&gt;</b> only actions
        </span>
        <span>
          <b className="t2 w5">@</b> sessions
        </span>
      </div>
    </Sheet>
  )
}

function useEntries(): readonly Entry[] {
  const { call } = useHub()
  const isLost = useIsLost()
  const { value: sessions = [] } = useSessions()
  const { openNewSession, openKeys, logOut } = use(ShellContext)
  const icon = (name: IconName) => <Icon name={name} size={14} />
  const perform = (tool: string, args: Readonly<Record<string, unknown>>) => void call(tool, args).catch(showFailure)
  const sorted = sessions.toSorted(byUrgency)

  const found = sorted.map((session): Entry => {
    const state = shownState(session, isLost)
    const { id, template, approvals_pending: pending } = session
    const note =
      pending > 0 ? `${pending} ${pending === 1 ? 'approval' : 'approvals'}` : stateWords[state].toLowerCase()
    return {
      group: 'Sessions',
      id,
      mark: <StateMark state={state} size={12} />,
      words: session.name,
      note: `${template}, ${note}`,
      run: () => go({ is: 'session', name: addressOf(session, sessions) }),
    }
  })
  const interruptible = isLost ? [] : sorted.filter((session) => session.thread && stateOf(session) === 'working')
  const actions: readonly Entry[] = [
    {
      group: 'Do',
      id: 'new',
      mark: icon('plus'),
      words: 'New session',
      keys: ['N'],
      run: () => isLost || openNewSession(),
    },
    ...sections.map(({ is, title, icon: name, key }): Entry => ({
      group: 'Do',
      id: is,
      mark: icon(name),
      words: is === 'approvals' ? 'Answer the approvals' : `Open ${title}`,
      keys: ['G', key.toUpperCase()],
      run: () => go({ is, id: undefined }),
    })),
    ...interruptible.map(({ id, name }): Entry => ({
      group: 'Do',
      id: `interrupt-${id}`,
      mark: icon('pause'),
      words: `Interrupt ${name}`,
      run: () => perform('interrupt_session', { session: id }),
    })),
    {
      group: 'Do',
      id: 'sessions',
      mark: icon('sessions'),
      words: 'Show all sessions',
      keys: ['G', 'S'],
      run: () => go({ is: 'sessions' }),
    },
    { group: 'Do', id: 'theme', mark: icon('sun'), words: 'Switch theme', run: switchTheme },
    { group: 'Do', id: 'keys', mark: icon('keyboard'), words: 'Show the keys', keys: ['?'], run: openKeys },
    { group: 'Do', id: 'log-out', mark: icon('leave'), words: 'Log out', run: logOut },
  ]
  return [...found, ...actions]
}

function readQuery(text: string): { readonly only?: Entry['group']; readonly query: string } {
  if (text.startsWith('>')) return { only: 'Do', query: text.slice(1).trim() }
  if (text.startsWith('@')) return { only: 'Sessions', query: text.slice(1).trim() }
  return { query: text.trim() }
}

function matchIn(words: string, query: string): number {
  return words.toLowerCase().indexOf(query.toLowerCase())
}

function Matched({ words, query }: { readonly words: string; readonly query: string }) {
  const at = query === '' ? -1 : matchIn(words, query)
  if (at < 0) return words
  const end = at + query.length
  return (
    <>
      {words.slice(0, at)}
      <b>{words.slice(at, end)}</b>
      {words.slice(end)}
    </>
  )
}
