/** An address as the program that fetches it reads it: `HTTPS://Example.com` is `https://example.com/`. */
export function judgedUrl(url: string): string {
  return URL.parse(url)?.href ?? url
}

/** The addresses in a text. Each begins after a space, or after a character that cannot be part of an address. */
export function judgedUrlsIn(text: string): readonly string[] {
  return [...new Set((text.match(/https?:\/\/[^\s"'<>]+/gi) ?? []).map(judgedUrl))]
}
