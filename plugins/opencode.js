/**
 * Runs inside opencode. Before a tool runs, it asks the hub, and throws if the hub refuses or cannot be reached: a call
 * that nobody decided does not run. It is loaded by its path, so it has no dependencies.
 */
const againMs = 1_000
/** A hub that restarts while it decides a call is asked again for this long. */
const restartMs = 120_000

const { SIGNALBOX_URL = 'http://127.0.0.1', SIGNALBOX_TOKEN = '', SIGNALBOX_HUB_SOCKET } = process.env
const { SIGNALBOX_HOOK_PROOF: proof } = process.env
const hookUrl = new URL('/hooks/opencode', SIGNALBOX_URL)

export const Signalbox = async ({ serverUrl }) => {
  void tell({ event: 'hello', server: String(serverUrl) })
  const conversations = new Set()
  return {
    'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
      const { decision, reason } = await ask({ event: 'call', tool, conversation: sessionID, call: callID, args })
      if (decision !== 'allow') throw new Error(reason ?? 'Signalbox did not allow this call. It has not run.')
    },
    // With the password a command of the agent could answer the questions that people are asked, and with the proof it
    // could speak for this plugin.
    'shell.env': async (_input, { env }) => {
      env.OPENCODE_SERVER_PASSWORD = ''
      env.SIGNALBOX_HOOK_PROOF = ''
    },
    // The person may begin a conversation while the hub is away. Its next start has to know of it.
    event: async ({ event: { type, properties } }) => {
      if (type !== 'message.updated' || properties.info.role !== 'user') return
      const { sessionID } = properties.info
      if (conversations.has(sessionID)) return
      conversations.add(sessionID)
      void tell({ event: 'conversation', conversation: sessionID })
    },
  }
}

/** Throws if the hub cannot be reached, or does not come back after it was. */
async function ask(message) {
  const endsAt = Date.now() + restartMs
  let wasReached = false
  for (;;) {
    try {
      const response = await post(message)
      if (response.ok) return await response.json()
      wasReached = true
      if (response.status !== 503) throw new Refusal(`it answered ${response.status}: ${await response.text()}`)
    } catch (error) {
      const isCut = wasReached || !isRefused(error)
      if (error instanceof Refusal || !isCut || Date.now() > endsAt) {
        throw new Error(`Signalbox could not decide this call, so it has not run: ${error.message}`, { cause: error })
      }
      wasReached = true
    }
    await later()
  }
}

class Refusal extends Error {}

/** In the words of Bun, which runs opencode, or of Node. */
function isRefused({ code, cause }) {
  return ['ConnectionRefused', 'FailedToOpenSocket'].includes(code) || cause?.code === 'ECONNREFUSED'
}

/** Tries until the hub has it: it may be restarting. */
async function tell(message) {
  for (;;) {
    try {
      const { ok, status } = await post(message)
      if (ok || (status !== 503 && status !== 404)) return
    } catch {
      // It is tried again.
    }
    await later()
  }
}

/**
 * A person may take an hour to answer, so there is no time-out. It uses the socket of the hub: while the hub is down,
 * another user of the machine could take its port. Only the `fetch` of Bun knows `unix`.
 */
function post(message) {
  return fetch(hookUrl, {
    unix: SIGNALBOX_HUB_SOCKET || undefined,
    method: 'POST',
    headers: { authorization: `Bearer ${SIGNALBOX_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...message, proof }),
    timeout: false,
  })
}

function later() {
  return new Promise((resolve) => setTimeout(resolve, againMs).unref?.())
}
