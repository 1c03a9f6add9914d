/**
 * The hub's errors end with advice for models, which name tools: "Call list_sessions for the names." A person on the page
 * has its lists and buttons instead, so such a sentence is left out. The first sentence says what is wrong, and stays.
 */
export function withoutToolAdvice(message: string): string {
  const [first = '', ...advice] = message.split(/(?<=[.?!]) (?=[A-Z"])/)
  return [first, ...advice.filter((sentence) => !/\b[a-z]+_[a-z_]+\b|\btools\/list\b/.test(sentence))].join(' ')
}
