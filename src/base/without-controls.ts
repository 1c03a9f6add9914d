/** Removes control characters from text for people: C0 except line feed and tab, DEL, C1, and bidi controls. */
export function withoutControls(text: string): string {
  return text.replaceAll(controls, '')
}

const controls = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu
