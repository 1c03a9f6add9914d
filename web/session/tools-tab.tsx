/** Every tool that the agent sees, by where it comes from, and the switches of its terminal tools. */
import { useState } from 'react'
import type { Effect } from '../../src/api/policy.ts'
import type { Session } from '../../src/api/session.ts'
import { isOver } from '../../src/api/session-status.ts'
import { terminalToolNames } from '../../src/api/terminal-tools.ts'
import { showFailure } from '../app/toasts.tsx'
import { useHub, useIsLost } from '../hub/hub-context.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { type SeenTool, useSessionTools } from './use-session-tools.ts'

export default function ToolsTab({ session }: { readonly session: Session }) {
  return isOver(session.status) ? (
    <p className="t3 p-4">This session is over, so no agent sees tools in it.</p>
  ) : (
    <Tools session={session} />
  )
}

const terminalMount = 'terminal'

function Tools({ session }: { readonly session: Session }) {
  const { value, refused } = useSessionTools(session)
  const mounts = Map.groupBy(value?.tools ?? [], ({ mount }) => mount)
  const seen = mounts.get(terminalMount) ?? []
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Tools of the agent">
      {refused !== undefined && <p className="t3 p-4">{refused}</p>}
      {value?.missing?.map(({ mount, state, error }) => (
        <p key={mount} className="s12 stop px-4 pt-2">
          <VisibleText text={`${mount}: ${error ?? state}`} />
        </p>
      ))}
      {session.terminal && <TerminalSwitches session={session} seen={seen} />}
      {[...mounts]
        .filter(([mount]) => mount !== terminalMount)
        .map(([mount, tools]) => (
          <section key={mount} aria-label={`Tools of ${mount}`}>
            <h2 className="gh tool-gh">
              <VisibleText text={mount} /> <span className="count">{tools.length}</span>
            </h2>
            <ul>
              {tools.map((tool) => (
                <li key={tool.name} className="tool-row">
                  <PolicyMark effect={tool.policy} />
                  <ToolWords name={tool.name} description={tool.description} />
                </li>
              ))}
            </ul>
          </section>
        ))}
    </div>
  )
}

function TerminalSwitches({ session, seen }: { readonly session: Session; readonly seen: readonly SeenTool[] }) {
  const { call } = useHub()
  const isLost = useIsLost()
  const [isBusy, setIsBusy] = useState(false)
  const on = session.terminal?.tools ?? []
  const switchTo = async (tools: readonly string[]) => {
    setIsBusy(true)
    try {
      await call('update_session', { name: session.id, tools })
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  const toolOf = (name: string) => seen.find((tool) => tool.name === `${terminalMount}_${name}`)
  return (
    <section aria-label="Tools of its terminal">
      <h2 className="gh tool-gh">
        terminal <span className="count">{on.length}</span>
        <span className="grow" />
        <button
          className="btn ghost"
          disabled={isLost || isBusy}
          onClick={() => void switchTo(on.length === terminalToolNames.length ? [] : terminalToolNames)}
        >
          {on.length === terminalToolNames.length ? 'Switch all off' : 'Switch all on'}
        </button>
      </h2>
      <ul>
        {terminalToolNames.map((name) => {
          const isOn = on.includes(name)
          return (
            <li key={name} className="tool-row">
              {isOn ? <PolicyMark effect={toolOf(name)?.policy} /> : <span className="mark-room" />}
              <ToolWords name={`${terminalMount}_${name}`} description={toolOf(name)?.description} isOff={!isOn} />
              <button
                className="switch"
                role="switch"
                aria-checked={isOn}
                aria-label={name}
                disabled={isLost || isBusy}
                onClick={() => void switchTo(isOn ? on.filter((each) => each !== name) : [...on, name])}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

interface ToolWordsProps {
  readonly name: string
  readonly description: string | undefined
  readonly isOff?: boolean
}

function ToolWords({ name, description, isOff = false }: ToolWordsProps) {
  return (
    <span className="tool-words">
      <code className={isOff ? 'cut t3' : 'cut'}>
        <VisibleText text={name} />
      </code>
      {description !== undefined && (
        <span className="s12 t3 tool-about" title={description}>
          <VisibleText text={description} />
        </span>
      )}
    </span>
  )
}

const effectWords: Readonly<Record<Effect, string>> = {
  allow: 'Allowed',
  ask: 'Asked each time',
  deny: 'Denied',
  abort: 'Aborts the turn',
}

/** The same for all arguments; without an effect, it depends on them. */
function PolicyMark({ effect }: { readonly effect: Effect | undefined }) {
  return effect ? (
    <DecisionMark name={effect} label={effectWords[effect]} />
  ) : (
    <DecisionMark name="expired" label="Depends on the arguments" />
  )
}
