/** The terminal tools that the agent may use on its own terminal. A tool that is off is neither listed nor callable. */
import { terminalToolNames } from '../../../src/api/terminal-tools.ts'
import { Switch } from '../../parts/switch.tsx'
import { terminalToolGroups } from './terminal-tool-words.ts'

export interface TerminalToolsTabProps {
  readonly tools: readonly string[]
  onChange(tools: readonly string[]): void
}

export function TerminalToolsTab({ tools, onChange }: TerminalToolsTabProps) {
  const isAll = tools.length === terminalToolNames.length
  return (
    <>
      <div className="row cfg-note">
        <span className="s12 t3 grow">What the agent may do with its own terminal. You always can.</span>
        <button className="btn ghost" onClick={() => onChange(isAll ? [] : terminalToolNames)}>
          {isAll ? 'All off' : 'All on'}
        </button>
      </div>
      <div className="tt-cols">
        {terminalToolGroups.map(([title, members]) => (
          <section key={title} aria-label={title}>
            <h3 className="lab">{title}</h3>
            {members.map(([name, words]) => (
              <div key={name} className="row tt-row">
                <span className="grow cut">
                  <code>{name}</code> <span className="s12 t3">{words}</span>
                </span>
                <Switch
                  label={name}
                  isOn={tools.includes(name)}
                  onChange={(isOn) => onChange(isOn ? [...tools, name] : tools.filter((other) => other !== name))}
                />
              </div>
            ))}
          </section>
        ))}
      </div>
    </>
  )
}
