/** The keys of an action, where a person can press them. */
export function Keys({ keys }: { readonly keys: readonly string[] }) {
  return (
    <span className="keys" aria-hidden="true">
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  )
}
