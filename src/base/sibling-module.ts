/** The address of a module beside the caller, for starting it in a thread or process: `.ts` in the sources, `.js` once built. */
export function siblingModule(name: string, importMetaUrl: string): URL {
  return new URL(`./${name}${importMetaUrl.endsWith('.ts') ? '.ts' : '.js'}`, importMetaUrl)
}
