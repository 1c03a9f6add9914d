export const pendingUri = 'resource://approvals/pending'
export const grantsUri = 'resource://grants'

export function approvalUri(id: string): string {
  return `resource://approvals/${id}`
}

export function sessionApprovalsUri(nameOrId: string): string {
  return `resource://sessions/${nameOrId}/approvals`
}
