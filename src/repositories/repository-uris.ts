export const repositoriesUri = 'resource://repositories'

export function repositoryUri(id: string): string {
  return `${repositoriesUri}/${id}`
}
