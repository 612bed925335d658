/** The HTTP statuses by which a provider says that it has had too many requests. */
const limitStatuses: readonly unknown[] = [429, 503, 529];

/** Whether a provider's limits made the system fail: that says nothing of the system. */
export const isProviderLimit = (error: { status?: number | undefined } | undefined): boolean =>
  limitStatuses.includes(error?.status);
