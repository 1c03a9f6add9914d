/** The result of a check. A problem comes with the way to fix it. The field names are part of `doctor --json`. */
export type Finding =
  | { readonly is: 'ok'; readonly about: string; readonly says: string }
  | { readonly is: 'note'; readonly about: string; readonly says: string; readonly advice?: string }
  | { readonly is: 'broken'; readonly about: string; readonly says: string; readonly mend: string }

/** Makes the three kinds of finding about one subject. */
export function findingsAbout(about: string) {
  return {
    ok: (says: string): Finding => ({ is: 'ok', about, says }),
    note: (says: string, advice?: string): Finding => ({ is: 'note', about, says, ...(advice && { advice }) }),
    broken: (says: string, mend: string): Finding => ({ is: 'broken', about, says, mend }),
  }
}
