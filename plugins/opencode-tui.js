/**
 * Runs inside the terminal interface of opencode. When the hub holds a call until a person answers, it shows a dialog.
 * The hub announces the call with a notice of opencode, since those reach this plugin. The answer carries the password
 * of opencode's server, which commands of the agent do not have.
 */
const { SIGNALBOX_URL = 'http://127.0.0.1', SIGNALBOX_TOKEN = '', OPENCODE_SERVER_PASSWORD: password } = process.env
const hookUrl = new URL('/hooks/opencode', SIGNALBOX_URL)
const lookMs = 500

const tui = async ({ event, ui }) => {
  /** The calls that wait, by the ids of their approvals, the oldest first. */
  const waiting = new Map()
  let shown

  event.on('tui.toast.show', ({ properties: { title = '', message } }) => {
    const [, approval, isAnswered] = /^Approval (\S+)( is answered)?$/.exec(title) ?? []
    if (approval === undefined) return
    if (!isAnswered) waiting.set(approval, message)
    else {
      waiting.delete(approval)
      if (shown === approval) close()
    }
    showNext()
  })

  function close() {
    shown = undefined
    ui.dialog.clear()
  }

  /** Another dialog of opencode may be open. It is not replaced. */
  function showNext() {
    const [approval, message] = waiting.entries().next().value ?? []
    if (approval === undefined || shown !== undefined) return
    if (ui.dialog.open) return void setTimeout(showNext, lookMs)
    shown = approval
    const answer = ({ value }) => {
      waiting.delete(approval)
      close()
      void send(approval, value)
      showNext()
    }
    // The first choice is the one that Enter takes, and somebody may be typing.
    const options = [
      { title: 'Deny', value: 'deny' },
      { title: 'Approve', value: 'approve' },
    ]
    const title = `Signalbox asks: ${message}`
    ui.dialog.replace(
      () => ui.DialogSelect({ title, options, onSelect: answer }),
      () => {
        // It was closed without an answer. The approval can still be answered elsewhere.
        waiting.delete(approval)
        if (shown === approval) shown = undefined
      },
    )
  }
}

/** The hub may be restarting. It then announces the call again. */
async function send(approval, decision) {
  await fetch(hookUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${SIGNALBOX_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'answer', approval, decision, password }),
  }).catch(() => {})
}

export default { id: 'signalbox', tui }
