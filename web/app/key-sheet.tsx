/** The keys of the page. */
import { Keys } from '../parts/keys-hint.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { commandKey } from './keys.ts'

const groups: readonly (readonly [string, readonly (readonly [readonly string[], string])[]])[] = [
  [
    'Anywhere',
    [
      [[commandKey, 'K'], 'Search or run'],
      [['G', 'S'], 'Sessions'],
      [['G', 'A'], 'Approvals'],
      [['N'], 'New session'],
      [['/'], 'Filter'],
      [['?'], 'Keys'],
    ],
  ],
  [
    'List',
    [
      [['J', 'K'], 'Next, previous'],
      [['↵'], 'Open'],
      [['1', '…', '5'], 'Filter by state'],
      [['V'], 'Screens or rows'],
    ],
  ],
  [
    'Approval',
    [
      [['A'], 'Allow once'],
      [['S'], 'For this session'],
      [['R'], 'Write a rule'],
      [['D'], 'Deny with reason'],
      [['X'], 'Abort the turn'],
    ],
  ],
  [
    'Session',
    [
      [['T'], 'Take over'],
      [[commandKey, '⇧', 'esc'], 'Give back'],
      [['[', ']'], 'Previous, next'],
      [['\\'], 'Change layout'],
      [[commandKey, 'F'], 'Search scrollback'],
      [[commandKey, '↵'], 'Send'],
      [['esc', 'esc '], 'Interrupt'],
    ],
  ],
]

export function KeySheet({ onClose }: { onClose(): void }) {
  return (
    <Sheet title="Keys" className="keysheet" onClose={onClose}>
      <KeyColumns />
    </Sheet>
  )
}

export function KeyColumns() {
  return (
    <div className="kcols">
      {groups.map(([title, keys]) => (
        <section key={title}>
          <h3 className="lab">{title}</h3>
          <dl>
            {keys.map(([names, words]) => (
              <div key={words}>
                <dt>
                  <Keys keys={names} />
                  <span className="sr">{names.join(' ')}</span>
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
