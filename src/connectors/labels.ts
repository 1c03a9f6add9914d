/** The label under which a session's agent sees a connector. */
import { mountSlug, ownMounts } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'

/** Returns the requested label, or one made from the connector's name. */
export function chooseLabel(connector: string, asked: string | undefined): string {
  if (asked === undefined) return connector.replaceAll(/[^a-z0-9]/g, '').slice(0, 24)
  const checked = mountSlug.safeParse(asked)
  if (!checked.success) throw new HubError('invalid', `"label": ${checked.error.issues[0]?.message}.`)
  return asked
}

interface Labelled {
  readonly connector: string
  readonly label: string
}

/** `taken` maps the labels of the session's other bindings to their connectors. */
export function checkLabels(wanted: readonly Labelled[], taken: ReadonlyMap<string, string>): void {
  const all = new Map(taken)
  for (const { connector, label } of wanted) {
    const holder = all.get(label)
    if (isOwn(label)) throw isTaken(connector, label, `the hub's own mount "${label}"`)
    if (holder !== undefined) throw isTaken(connector, label, `the mount "${label}" of the connector "${holder}"`)
    all.set(label, connector)
  }
}

function isOwn(label: string): boolean {
  return (ownMounts as readonly string[]).includes(label)
}

function isTaken(connector: string, label: string, holder: string): HubError {
  return new HubError(
    'conflict',
    `"label": the connector "${connector}" would be the mount "${label}", which is taken by ${holder}. ` +
      `Give it another "label", such as "${label.slice(0, 23)}2".`,
  )
}
