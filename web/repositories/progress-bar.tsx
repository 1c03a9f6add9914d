/** How much of a repository is indexed. */
export function ProgressBar({ done, total }: { readonly done: number; readonly total: number }) {
  const percent = total === 0 ? 0 : Math.round((100 * done) / total)
  return (
    <span
      className="prog"
      role="progressbar"
      aria-label="Indexing"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${percent}%` }} />
    </span>
  )
}
