/**
 * The conformance suite starts this program as the client under test, once for each scenario and all at once. It sends the
 * scenario to the scenario runner and waits for the outcome.
 */
const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = '{}', RUNNER_URL = '' } = process.env

const outcome = await fetch(RUNNER_URL, {
  method: 'POST',
  body: JSON.stringify({
    scenario: MCP_CONFORMANCE_SCENARIO,
    context: JSON.parse(MCP_CONFORMANCE_CONTEXT),
    url: process.argv.at(-1),
  }),
})
console.error(await outcome.text())
process.exitCode = outcome.ok ? 0 : 1
