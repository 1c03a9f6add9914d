/**
 * The hub's messages name tools, because most of their readers are models. A person at a shell gets the command instead:
 * "Call list_sessions for the names" becomes `Run "signalbox ls" for the names`.
 *
 * `test/cli-wrong-inputs.test.ts` checks that each tool that a sentence of the hub names is in this table.
 */
const commandOf: Readonly<Record<string, string>> = {
  hub_status: 'signalbox status',
  issue_token: 'signalbox token issue',
  list_tokens: 'signalbox token list',
  revoke_token: 'signalbox token revoke',
  query_events: 'signalbox events',
  get_trace: 'signalbox trace',
  list_sessions: 'signalbox ls',
  get_session: 'signalbox ls',
  get_session_url: 'signalbox url',
  create_session: 'signalbox new',
  resume_session: 'signalbox resume',
  kill_session: 'signalbox kill',
  adopt_session: 'signalbox adopt',
  release_session: 'signalbox release',
  wait_session: 'signalbox wait',
  wait_for: 'signalbox wait',
  tail_log: 'signalbox logs',
  export_recording: 'signalbox export',
  send_input: 'signalbox send',
  prompt_session: 'signalbox prompt',
  steer_session: 'signalbox steer',
  interrupt_session: 'signalbox interrupt',
  answer_question: 'signalbox answer',
  read_thread: 'signalbox thread',
  export_thread: 'signalbox thread',
  import_thread: 'signalbox thread import',
  switch_provider: 'signalbox switch',
  fork_thread: 'signalbox fork',
  run_action: 'signalbox run',
  read_changes: 'signalbox changes',
  list_files: 'signalbox call list_files',
  list_routes: 'signalbox routes',
  set_routes: 'signalbox routes set',
  post_chat: 'signalbox chat',
  read_chat: 'signalbox chat',
  add_repository: 'signalbox repo add',
  list_repositories: 'signalbox repo',
  refresh_repository: 'signalbox repo refresh',
  remove_repository: 'signalbox repo rm',
  search_repository: 'signalbox repo search',
  read_repository: 'signalbox repo read',
  ask_repository: 'signalbox repo ask',
  list_push_subscriptions: 'signalbox call list_push_subscriptions',
  unsubscribe_push: 'signalbox call unsubscribe_push',
  send_text: 'signalbox send',
  send_keys: 'signalbox keys',
  read_screen: 'signalbox screen',
  read_scrollback: 'signalbox logs',
  read_output: 'signalbox logs --raw',
  screenshot: 'signalbox shot',
  save_screenshot: 'signalbox shot',
  claim_input: 'signalbox attach --take-over',
  toggle_module: 'signalbox call toggle_module',
  list_jobs: 'signalbox jobs',
  enqueue_one_off: 'signalbox jobs add',
  cancel_job: 'signalbox jobs cancel',
  list_templates: 'signalbox templates',
  save_template: 'signalbox templates save',
  delete_template: 'signalbox templates delete',
  list_approvals: 'signalbox approvals ls',
  decide_approval: 'signalbox approvals',
  list_grants: 'signalbox grants',
  revoke_grant: 'signalbox grants revoke',
  list_connectors: 'signalbox connectors',
  save_connector: 'signalbox connectors add',
  delete_connector: 'signalbox connectors rm',
  test_connector: 'signalbox connectors test',
  restart_connector: 'signalbox connectors restart',
  get_connector: 'signalbox connectors show',
  import_connectors: 'signalbox connectors import',
  list_bindings: 'signalbox connectors bindings',
  allow_connector: 'signalbox connectors allow',
  bind_connector: 'signalbox connectors bind',
  unbind_connector: 'signalbox connectors unbind',
  list_session_tools: 'signalbox tools',
  get_policy: 'signalbox policy',
  set_policy: 'signalbox policy save',
  check_call: 'signalbox policy check',
  simulate_policy: 'signalbox policy simulate',
  list_policy_proposals: 'signalbox policy proposals',
  decide_policy_proposal: 'signalbox policy accept',
  search_tools: 'signalbox tools --management',
  call_tool: 'signalbox call',
  'tools/list': 'signalbox tools --management',
}

// Not inside quotes: `There is no session "screenshot"` repeats what the person wrote.
const namedTool = new RegExp(`(\\b[Cc]all )?(?<!["\\w/])(${Object.keys(commandOf).join('|')})(?!["\\w/])`, 'g')

export function inShellWords(message: string): string {
  return message.replace(namedTool, (_, call: string | undefined, tool: string) => {
    const verb = call === undefined ? '' : call.startsWith('C') ? 'Run ' : 'run '
    return `${verb}"${commandOf[tool]}"`
  })
}

export function hasShellWords(tool: string): boolean {
  return tool in commandOf
}
