/** An address as the program that fetches it reads it: `HTTPS://Example.com` is `https://example.com/`. */
export function judgedUrl(url: string): string {
  return URL.parse(url)?.href ?? url
}

/** The addresses in a text. They begin after a space, or after what cannot be part of one. */
export function judgedUrlsIn(text: string): readonly string[] {
  return [...new Set((text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []).map(judgedUrl))]
}
