/** The command that a template starts, and its requirements. */
import type { Template } from '../../src/api/template.ts'
import { DecisionMark } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import type { ListedTemplate } from './template-text.ts'

export function TemplatePreview(props: { readonly template: Template; readonly listed: ListedTemplate | undefined }) {
  const { template, listed } = props
  const { env_keys: keys, own_tools: ownTools, driver, sandbox } = template
  return (
    <section className="tp-res" aria-label="What will be started">
      <h2 className="lab">What will be started</h2>
      <pre className="code well wrap" tabIndex={0}>
        <VisibleText text={lineOf(template)} />
      </pre>
      <ul className="steps">
        {listed && (
          <li>
            <DecisionMark name={listed.available ? 'allow' : 'deny'} size={12} />
            <span>
              {listed.available ? 'Its program is installed.' : (listed.why_not ?? 'Its program is not installed.')}
            </span>
          </li>
        )}
        {keys.length > 0 && (
          <li>
            <DecisionMark name="info" size={12} />
            <span>
              Gets <code>{keys.join(', ')}</code> from the environment of the hub.
            </span>
          </li>
        )}
        <li>
          <DecisionMark name={sandbox === undefined ? 'info' : 'allow'} size={12} />
          <span>{sandbox === undefined ? 'Its program is not confined.' : 'Its program runs in a sandbox.'}</span>
        </li>
        <li>
          <DecisionMark name={driver === 'pty' ? 'info' : 'allow'} size={12} />
          <span>
            {driver === 'pty'
              ? 'An agent’s own shell and edits pass the policy only where its hooks report them.'
              : 'The driver asks the hub before shell and edits. Each session shows whether that holds.'}
            {ownTools === 'required' && ' It does not start otherwise.'}
          </span>
        </li>
      </ul>
    </section>
  )
}

function lineOf({ prefix, command, args }: Template): string {
  const program = command === '' ? '$SHELL' : command
  return [...prefix, program, ...(args ?? []).map(quoted)].join(' ')
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", String.raw`'\''`)}'`
}
