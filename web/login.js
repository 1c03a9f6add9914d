/** Takes the token out of the address, keeps it for this tab, and shows the hub's status over MCP. */
const key = 'signalbox-token'
const find = (id) => document.getElementById(id)

find('login').addEventListener('submit', (event) => {
  event.preventDefault()
  sessionStorage.setItem(key, find('token').value.trim())
  void show()
})
find('logout').addEventListener('click', () => {
  sessionStorage.removeItem(key)
  void show()
})
// The printed link, opened in a tab that shows the page already, changes nothing but the fragment.
addEventListener('hashchange', start)
start()

function start() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token) {
    sessionStorage.setItem(key, token)
    // The link was for logging in; the address bar and the history need not keep it.
    history.replaceState(null, '', location.pathname)
  }
  void show()
}

async function show() {
  const token = sessionStorage.getItem(key)
  if (!token) return ask('Not logged in.')
  try {
    present(await hubStatus(token))
  } catch (error) {
    ask(error.message)
  }
}

/** One stateless call of MCP 2026-07-28. */
async function hubStatus(token) {
  const version = '2026-07-28'
  const response = await fetch('/mcp', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': version,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'hub_status',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'hub_status',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientCapabilities': {},
          'io.modelcontextprotocol/clientInfo': { name: 'signalbox-page', version: '1' },
        },
      },
    }),
  })
  const { result, error } = await response.json()
  if (error) throw new Error(error.message)
  return result.structuredContent
}

function ask(why) {
  find('state').textContent = why
  find('state').dataset.is = 'asking'
  find('login').hidden = false
  find('hub').hidden = true
}

function present(status) {
  find('state').textContent = 'The hub is ready.'
  find('state').dataset.is = 'ready'
  find('login').hidden = true
  find('hub').hidden = false
  find('address').textContent = `${location.origin}/mcp`
  const rows = {
    Version: status.version,
    Since: new Date(status.started_at).toLocaleString(),
    Store: status.store,
    Connections: status.connections,
    Events: status.events,
  }
  find('status').replaceChildren(
    ...Object.entries(rows).flatMap(([name, value]) => [element('dt', name), element('dd', String(value))]),
  )
}

function element(name, text) {
  return Object.assign(document.createElement(name), { textContent: text })
}
