/**
 * What the conformance suite starts as the client under test, once for each scenario and all at once. It hands the scenario
 * to the one who plays them all, and waits for how it ended.
 */
const { MCP_CONFORMANCE_SCENARIO, MCP_CONFORMANCE_CONTEXT = '{}', PLAYER_URL = '' } = process.env

const outcome = await fetch(PLAYER_URL, {
  method: 'POST',
  body: JSON.stringify({
    scenario: MCP_CONFORMANCE_SCENARIO,
    context: JSON.parse(MCP_CONFORMANCE_CONTEXT),
    url: process.argv.at(-1),
  }),
})
console.error(await outcome.text())
process.exitCode = outcome.ok ? 0 : 1
