/** What a check says about one thing. Whatever is broken comes with the way to mend it. */
export type Finding =
  | { readonly is: 'ok'; readonly about: string; readonly says: string }
  | { readonly is: 'note'; readonly about: string; readonly says: string; readonly advice?: string }
  | { readonly is: 'broken'; readonly about: string; readonly says: string; readonly mend: string }

/** The three sentences a check can say, about its subject. */
export function findingsAbout(about: string) {
  return {
    ok: (says: string): Finding => ({ is: 'ok', about, says }),
    note: (says: string, advice?: string): Finding => ({ is: 'note', about, says, ...(advice && { advice }) }),
    broken: (says: string, mend: string): Finding => ({ is: 'broken', about, says, mend }),
  }
}
