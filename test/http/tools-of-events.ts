/** The tools that `?toolsets=events` lists. */
export const toolsOfEvents = ['hub_status', 'query_events', 'get_trace', 'list_turns', 'get_usage']
