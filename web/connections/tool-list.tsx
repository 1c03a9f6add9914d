/** The tools of a connector, and one of them to try. */
import { type ReactNode, useState } from 'react'
import type { ConnectorDetail } from '../../src/api/connector.ts'
import { createToolTest } from '../../src/api/tool-filter.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark, type DecisionMarkName } from '../parts/marks.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import type { Schema } from './schema-form/field.ts'
import type { TriedCall } from './tool-result.tsx'
import { TryTool } from './try-tool.tsx'

export interface OfferedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Schema
  readonly effect: Effect
}

/** The upstream's hint about the tool. Without a hint, the tool may write. */
type Effect = 'reads' | 'writes' | 'destroys'

const effectMarks: Readonly<Record<Effect, DecisionMarkName>> = { reads: 'allow', writes: 'writes', destroys: 'deny' }

export interface ToolListProps {
  readonly connector: ConnectorDetail
  /** Shown where it was never listed. */
  readonly empty: ReactNode
}

export function ToolList({ connector, empty }: ToolListProps) {
  const [chosen, setChosen] = useState<string>()
  const [isChoosing, setIsChoosing] = useState(true)
  const [tried, setTried] = useState<TriedCall>()
  if (!connector.offers) return empty
  const tools = toolsOf(connector.offers)
  const tool = tools.find(({ name }) => name === chosen) ?? tools[0]
  if (!tool) return <p className="c-empty t3">It offers no tools.</p>
  const { enabled_tools: enabled, disabled_tools: disabled } = connector.options
  const isOffered = createToolTest({ enabled, disabled })
  return (
    <div className={isChoosing ? 'c-split choosing' : 'c-split'}>
      <div className="c-tools scroll" tabIndex={0} role="region" aria-label="Tools">
        <ul>
          {tools.map(({ name, effect }) => (
            <li key={name}>
              <button
                className="t-item"
                aria-pressed={name === tool.name}
                onClick={() => {
                  setChosen(name)
                  setIsChoosing(false)
                }}
              >
                <DecisionMark name={effectMarks[effect]} size={12} />
                <code className="cut">
                  <VisibleText text={name} />
                </code>
                <span className="grow" />
                <span className="s12 t3">{isOffered(name) ? effect : 'off'}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <div className="scroll c-form" tabIndex={0} role="region" aria-label="Try a tool">
        <button className="btn ghost all-tools" onClick={() => setIsChoosing(true)}>
          <Icon name="back" size={14} />
          All tools
        </button>
        <TryTool key={tool.name} connector={connector.name} tool={tool} tried={tried} onTried={setTried} />
      </div>
    </div>
  )
}

function toolsOf({ tools }: NonNullable<ConnectorDetail['offers']>): readonly OfferedTool[] {
  return tools.flatMap(({ name, description, inputSchema, annotations }) =>
    typeof name !== 'string'
      ? []
      : [
          {
            name,
            ...(typeof description === 'string' && { description }),
            inputSchema: isRecord(inputSchema) ? inputSchema : {},
            effect: effectOf(isRecord(annotations) ? annotations : {}),
          },
        ],
  )
}

function effectOf({ readOnlyHint, destructiveHint }: Schema): Effect {
  if (readOnlyHint === true) return 'reads'
  return destructiveHint === true ? 'destroys' : 'writes'
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
