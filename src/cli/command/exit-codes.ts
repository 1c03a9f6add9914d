/** The exit codes: one table for the program, its help and its documentation. */

export const exitCodes = {
  ok: { code: 0, means: 'done' },
  failed: { code: 1, means: 'the command failed; the message says why' },
  usage: { code: 2, means: 'the command line or the configuration is wrong' },
  unauthorized: { code: 3, means: 'there is no token, or the hub does not accept it' },
  unreachable: { code: 4, means: 'no hub answers' },
  'tool-error': { code: 5, means: 'the tool answered with an error' },
  'problems-found': { code: 6, means: '`signalbox doctor` found a problem to fix' },
  'directory-in-use': { code: 7, means: 'another hub uses the data directory' },
  'not-met': { code: 8, means: 'a condition was not met in time, or a prompt was not delivered' },
  denied: { code: 9, means: 'the policy or a person refused the call; nothing was done' },
} as const

export type Exit = keyof typeof exitCodes
